import path from 'node:path';
import { withoutTrailingSlashes } from '#src/base/text.ts';
import { parseExternalUrl, parsePath, present } from './values.ts';

/** A bucket of an S3-compatible store. */
export interface S3Settings {
  bucket: string;
  /** What all keys begin with: empty, or ending in a slash. */
  prefix: string;
  /** URL of a store of other makers. */
  endpoint?: string;
  region: string;
  /** Without them: those of a role or a profile, where tools of AWS look for them. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

/** Reads one setting; undefined where it is not set, or was found wrong and noted. */
type Setting = <Value>(name: string, parse: (text: string) => Value) => Value | undefined;

/**
 * Where uploaded files are kept: a directory, or a bucket as `s3://bucket/prefix` with the settings that the AWS tools read
 * too. Those mean nothing to a server without a bucket: they may be there for something else. Undefined where nothing is set.
 */
export function readUploads(
  setting: Setting,
  cwd: string,
  problems: string[],
): { directory: string } | S3Settings | undefined {
  const place = setting('GANTRY_UPLOADS', (text) => parseUploads(text, cwd));
  if (place === undefined || 'directory' in place) return place;
  return {
    ...place,
    region: setting('AWS_REGION', String) ?? 'us-east-1',
    ...present({
      endpoint: setting('AWS_ENDPOINT_URL_S3', parseExternalUrl) ?? setting('AWS_ENDPOINT_URL', parseExternalUrl),
      credentials: s3Credentials(
        setting('AWS_ACCESS_KEY_ID', String),
        setting('AWS_SECRET_ACCESS_KEY', String),
        setting('AWS_SESSION_TOKEN', String),
        problems,
      ),
    }),
  };
}

/** A directory, or `s3://bucket` with a prefix of keys perhaps. */
function parseUploads(text: string, cwd: string): { directory: string } | Pick<S3Settings, 'bucket' | 'prefix'> {
  if (!/^[a-z0-9+]+:\/\//i.test(text)) return { directory: path.resolve(cwd, parsePath(text)) };
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(text) ?? [];
  if (bucket === undefined) throw new Error(`"${text}" is neither a directory nor of the form s3://bucket/prefix`);
  return { bucket, prefix: prefix === '' ? '' : `${withoutTrailingSlashes(prefix)}/` };
}

function s3Credentials(
  accessKeyId: string | undefined,
  secretAccessKey: string | undefined,
  sessionToken: string | undefined,
  problems: string[],
): S3Settings['credentials'] {
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return present({ accessKeyId, secretAccessKey, sessionToken });
  }
  const [missing, given] =
    accessKeyId === undefined
      ? ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
      : ['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'];
  if ((accessKeyId ?? secretAccessKey) !== undefined) problems.push(`${missing}: is missing beside ${given}`);
  return undefined;
}
