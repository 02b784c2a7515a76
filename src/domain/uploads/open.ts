import type { Config } from '#src/platform/config/config.ts';
import { DiskUploads } from './disk.ts';
import type { UploadStore } from './store.ts';

/** The configured store of uploaded files. */
export async function openUploads({ uploads }: Pick<Config, 'uploads'>): Promise<UploadStore> {
  if ('directory' in uploads) return new DiskUploads(uploads.directory);
  // Loaded on demand, as it is large.
  const { S3Uploads } = await import('./s3.ts');
  return new S3Uploads(uploads);
}
