import { type ScryptOptions, scryptSync } from 'node:crypto';
import { parentPort } from 'node:worker_threads';

/** A password to be hashed with scrypt. */
export interface HashRequest {
  password: string;
  salt: Uint8Array;
  /** Length of the hash in bytes. */
  length: number;
  options: ScryptOptions;
}

/* A thread that hashes passwords one after another, outside of the thread pool that reads files. */

parentPort?.on('message', ({ password, salt, length, options }: HashRequest) => {
  parentPort?.postMessage(new Uint8Array(scryptSync(password, salt, length, options)));
});
parentPort?.postMessage('ready');
