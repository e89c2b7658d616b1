// etcd is the store behind the testbed's API server; `-version` and all flags are the real program's.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
