enum PushProviderLayout {}
