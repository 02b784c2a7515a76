import { raw } from '#pages/engine/row.ts';
import { PublicGpgKeysDocument, PublicSshKeysDocument } from '#src/generated/page_operations.ts';

const joined = (keys: readonly string[]) => keys.map((key) => `${key.trimEnd()}\n`).join('');

/** What `ssh-import-id`, `curl … >> authorized_keys` and `gpg --fetch-keys` ask for. */
export const publicKeys = [
  raw({
    path: '/:username.keys',
    operation: PublicSshKeysDocument,
    content: 'page_text',
    found: ({ user }) => user && { text: joined(user.sshPublicKeys), fileName: `${user.username}.keys` },
  }),
  raw({
    path: '/:username.gpg',
    operation: PublicGpgKeysDocument,
    content: 'page_text',
    found: ({ user }) => user && { text: joined(user.gpgPublicKeys), fileName: `${user.username}.gpg` },
  }),
];
