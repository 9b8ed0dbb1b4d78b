public enum MockAPNsLayout {}
