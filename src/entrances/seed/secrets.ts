import crypto from 'node:crypto';
import type { ApplicationCredentials } from '#src/domain/applications/save.ts';
import { newToken } from '#src/platform/secrets.ts';

/** The passwords and tokens of the sample data. */
export interface SampleSecrets {
  /** Whether they are documented and so known to everyone. */
  readonly known: boolean;
  password(username: string): string;
  privateToken(username: string): string;
  /** The personal access token of that user for a purpose. */
  accessToken(username: string, purpose: string): string;
  triggerToken(): string;
  application(): ApplicationCredentials;
}

/**
 * The documented secrets, the same at each start, for client tests (docs/testing-clients.md). They make everyone who reaches the
 * server its administrator, so they are for ephemeral servers only.
 */
export const KNOWN_SECRETS: SampleSecrets = {
  known: true,
  password: () => 'seed-password',
  privateToken: (username) => `seed-private-token-${username}`,
  accessToken: (username, purpose) => `seed-${purpose.replace('_', '-')}-token-${username}`,
  triggerToken: () => 'seed-trigger-token-apples',
  application: () => ({ uid: 'seed-application-id', secret: 'seed-application-secret' }),
};

/** Random secrets, the same for a user on every call. */
export function randomSecrets(): SampleSecrets {
  const made = new Map<string, string>();
  const once = (key: string, prefix = '') => {
    const token = made.get(key) ?? newToken(prefix);
    made.set(key, token);
    return token;
  };
  return {
    known: false,
    password: (username) => once(`password ${username}`),
    privateToken: (username) => once(`private ${username}`),
    accessToken: (username, purpose) => once(`${purpose} ${username}`, 'glpat-'),
    triggerToken: () => once('trigger', 'gtr-'),
    application: () => ({ uid: crypto.randomBytes(32).toString('hex'), secret: once('application', 'gsec-') }),
  };
}
