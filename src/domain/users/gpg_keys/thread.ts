import { parentPort } from 'node:worker_threads';
import { type GpgWork, workOnGpg } from '#src/domain/users/gpg_keys/openpgp.ts';

/* The thread that reads keys and verifies signatures of OpenPGP, one after another. */

parentPort?.on('message', async (work: GpgWork) => {
  parentPort?.postMessage(await workOnGpg(work));
});
parentPort?.postMessage('ready');
