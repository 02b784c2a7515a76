import crypto from 'node:crypto';
import type { ApplicationCredentials } from '#src/domain/applications/save.ts';
import { newToken } from '#src/platform/secrets.ts';

/** What the people of the sample data sign in with, and their programs. */
export interface SampleSecrets {
  /** Whether they are in the documentation: known to everybody. */
  readonly known: boolean;
  password(username: string): string;
  privateToken(username: string): string;
  /** A personal access token of that user, by what it is for. */
  accessToken(username: string, purpose: string): string;
  triggerToken(): string;
  application(): ApplicationCredentials;
}

/**
 * The same for everybody and at each start, for client tests (docs/testing-clients.md). Whoever reaches a server that has these
 * is its administrator: they are for ephemeral servers alone.
 */
export const KNOWN_SECRETS: SampleSecrets = {
  known: true,
  password: () => 'seed-password',
  privateToken: (username) => `seed-private-token-${username}`,
  accessToken: (username, purpose) => `seed-${purpose.replace('_', '-')}-token-${username}`,
  triggerToken: () => 'seed-trigger-token-apples',
  application: () => ({ uid: 'seed-application-id', secret: 'seed-application-secret' }),
};

/** Random ones. A user's are the same however often they are asked for. */
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
    accessToken: (username, purpose) => once(`${purpose} ${username}`, 'gpat-'),
    triggerToken: () => once('trigger', 'gtr-'),
    application: () => ({ uid: crypto.randomBytes(32).toString('hex'), secret: once('application', 'gsec-') }),
  };
}
