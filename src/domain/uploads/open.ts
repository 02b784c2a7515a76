import type { Config } from '#src/platform/config/config.ts';
import { DiskUploads } from './disk.ts';
import type { UploadStore } from './store.ts';

/** The store of uploaded files that the settings name. */
export async function openUploads({ uploads }: Pick<Config, 'uploads'>): Promise<UploadStore> {
  if ('directory' in uploads) return new DiskUploads(uploads.directory);
  // Loaded where it is needed: it is large.
  const { S3Uploads } = await import('./s3.ts');
  return new S3Uploads(uploads);
}
