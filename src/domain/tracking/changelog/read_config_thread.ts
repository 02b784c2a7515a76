import { parentPort } from 'node:worker_threads';
import { readChangelogConfig } from '#src/domain/tracking/changelog/read_config.ts';

/* The thread that reads configurations of changelogs, which are written by users, one request after another. */

parentPort?.on('message', ({ yaml, tags }: { yaml: string | null; tags: string[] }) => {
  parentPort?.postMessage(readChangelogConfig(yaml, tags));
});
parentPort?.postMessage('ready');
