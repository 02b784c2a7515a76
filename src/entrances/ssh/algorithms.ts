import type { Algorithms } from 'ssh2';

/**
 * The algorithms offered to clients, best first. Finite-field key exchanges are left out, as they take a hundred times more CPU
 * time, and so are the NIST curves, which audits consider weak: OpenSSH has supported this one since 2014, the libraries of other
 * clients since 2019 at the latest. Nothing uses SHA-1, CBC or compression. Signature algorithms follow the order of the host
 * keys.
 */
export const ALGORITHMS = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org'],
  cipher: [
    'aes256-gcm@openssh.com',
    'aes128-gcm@openssh.com',
    'chacha20-poly1305@openssh.com',
    'aes256-ctr',
    'aes192-ctr',
    'aes128-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
  compress: ['none'],
} as const satisfies Algorithms;

/** The signature algorithms with which clients may prove their keys (src/entrances/ssh/signature.ts), best first. */
export const SIGNATURES = [
  'ssh-ed25519',
  'sk-ssh-ed25519@openssh.com',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ecdsa-sha2-nistp256@openssh.com',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const;
