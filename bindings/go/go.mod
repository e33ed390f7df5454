module github.com/OWNER/lauka/bindings/go

go 1.19
