module pushprovider.example/go

go 1.19
