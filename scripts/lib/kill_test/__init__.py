"""What the tests share that kill, disturb or attack the programs: scripts/campaign-kills, service-kills, cluster-kills and attacks."""
