import { parentPort } from 'node:worker_threads';
import { readMessage } from '#src/domain/mail_in/read_message.ts';

/* The thread that reads messages, one after another. */

parentPort?.on('message', async (content: Uint8Array) => {
  parentPort?.postMessage(await readMessage(content));
});
parentPort?.postMessage('ready');
