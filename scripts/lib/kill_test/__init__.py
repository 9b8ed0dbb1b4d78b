"""What the kill tests of the service share: scripts/service-kills and scripts/cluster-kills."""
