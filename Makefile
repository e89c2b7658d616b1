# The two commands to know: make up (a local Kubernetes with Davit and a Block Node), make check (every test).
.DEFAULT_GOAL := help
.PHONY: help up sim seeds down env check check-long build test format tidy image install uninstall contract shows bench generate

TOPIC ?= skeleton
PRESET ?= release

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

up: ## start a local Kubernetes, install Davit, create a sample BlockNode; KUBECONFIG=… uses yours
	@DAVIT_UP_KUBECONFIG="$(if $(filter command,$(origin KUBECONFIG)),$(KUBECONFIG))" tools/up
sim: ## a simulated cluster with Davit in it, for kubectl, in a second
	@tools/sim
seeds: build ## N=100000 simulated lives, each judged
	@tools/seeds $(or $(N),100000)
down: ## end what make up started
	@testbed/down
env: ## exports for your shell: eval "$$(make -s env)"
	@testbed/env
check: ## install what is missing, build, run every test
	@tools/check
check-long: ## the long campaigns: ThreadSanitizer, clang-tidy on everything
	@tools/check-long
build: ## build everything (PRESET=release|debug|asan|tsan)
	@tools/bootstrap && cmake --preset $(PRESET) >/dev/null && cmake --build --preset $(PRESET)
test: build ## the fast tests
	@tools/ctest build/$(PRESET) fast
format: ## clang-format
	@tools/format
tidy: ## clang-tidy on changed files
	@tools/tidy --changed
generate: build ## write the generated files: CRDs, RBAC, reference
	@build/$(PRESET)/bin/davit generate all --out .
image: build ## OCI archives of Davit and of the stand-in, in build/images
	@tools/images
install: ## install Davit into the cluster of KUBECONFIG
	@tools/install
uninstall: ## remove Davit; refuses to remove CRDs while objects exist
	@tools/uninstall
contract: build ## the Block Node contract against the stand-in, or NODE=host:grpc,health,metrics
	@build/$(PRESET)/bin/blocknode-contract $(if $(NODE),--node $(NODE))
shows: ## run the proofs of one topic (TOPIC=skeleton)
	@test/shows/run $(TOPIC)
