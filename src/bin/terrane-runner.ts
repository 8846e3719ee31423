import { runWorkerHost } from '../runner/host/run-worker-host.ts'

void runWorkerHost()
