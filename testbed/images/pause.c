// The process that holds a pod's namespaces: waits for a signal to end, and reaps orphans meanwhile.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, 0);
  for (;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0 || signal != SIGCHLD) return 0;
    while (waitpid(-1, 0, WNOHANG) > 0) {
    }
  }
}
