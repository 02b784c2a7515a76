import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { S3Settings } from '#src/platform/config/uploads.ts';

interface Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => Server;

/** A store that speaks the protocol of S3, with one empty bucket. */
export interface ObjectStore {
  settings: S3Settings & { endpoint: string };
  /** As the server takes them from its environment. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

export async function startObjectStore(): Promise<ObjectStore> {
  const directory = mkdtempSync(path.join(tmpdir(), 'gantry-s3-'));
  const bucket = 'gantry-uploads';
  const options = { address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: bucket }] };
  const server = new S3rver(options);
  const endpoint = `http://127.0.0.1:${(await server.run()).port}`;
  let running = true;
  // The pair that this store always takes.
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  return {
    settings: { bucket, prefix: 'team/', endpoint, region: 'us-east-1', credentials },
    environment: {
      GANTRY_UPLOADS: `s3://${bucket}/team`,
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
    async stop() {
      if (!running) return;
      running = false;
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
