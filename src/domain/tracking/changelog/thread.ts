import { parentPort } from 'node:worker_threads';
import { readChangelogConfig } from '#src/domain/tracking/changelog/read_config.ts';
import { InvalidTemplate, renderTemplate } from '#src/domain/tracking/changelog/template.ts';
import type { ChangelogAnswer, ChangelogWork } from '#src/domain/tracking/changelog/threads.ts';

/* The thread that reads configurations of changelogs, which are written by users, and writes by their templates, one after another. */

parentPort?.on('message', (work: ChangelogWork) => {
  parentPort?.postMessage(answerTo(work));
});
parentPort?.postMessage('ready');

function answerTo(work: ChangelogWork): ChangelogAnswer {
  if (work.kind === 'read') return { read: readChangelogConfig(work.yaml, work.tags) };
  try {
    return { body: renderTemplate(work.template, work.values) };
  } catch (error) {
    if (error instanceof InvalidTemplate) return { fault: error.message };
    throw error;
  }
}
