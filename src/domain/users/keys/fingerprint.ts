import { BadRequest } from '#src/platform/errors.ts';

/** A fingerprint as it is stored. */
export interface Fingerprint {
  algorithm: 'md5' | 'sha256';
  fingerprint: string;
}

/** Reads a fingerprint as `ssh-keygen -l` prints it: `SHA256:…`, or MD5 with colons. Throws BadRequest. */
export function parseFingerprint(text: string): Fingerprint {
  const [, sha256] = /^SHA256:([A-Za-z0-9+/]{43})=?$/.exec(text.trim()) ?? [];
  if (sha256 !== undefined) return { algorithm: 'sha256', fingerprint: sha256 };
  const [, md5] = /^(?:MD5:)?((?:[0-9a-f]{2}:){15}[0-9a-f]{2})$/i.exec(text.trim()) ?? [];
  if (md5 !== undefined) return { algorithm: 'md5', fingerprint: md5.toLowerCase() };
  throw new BadRequest('fingerprint is invalid', 'fingerprint', 'valueInvalid');
}
