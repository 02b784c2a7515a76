import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { GpgKey } from '#schema/gpg_keys/types.ts';
import { SshKey } from '#schema/keys/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { type CommitSignatureRow, signaturesOfCommits } from '#src/domain/repository/commits/signature.ts';
import type { CommitRow } from '#src/domain/repository/find_commit.ts';
import { findGpgKeysByIds } from '#src/domain/users/gpg_keys/list.ts';

const SignatureType = builder.enumType('SignatureType', {
  description: 'How a commit is signed.',
  values: {
    PGP: { value: 'PGP', description: 'With a key of PGP.' },
    SSH: { value: 'SSH', description: 'With an SSH key.' },
    X509: { value: 'X509', description: 'With an X.509 certificate.' },
  } as const,
});

const VerificationStatus = builder.enumType('VerificationStatus', {
  description: 'What the server knows of a signature.',
  values: {
    VERIFIED: {
      value: 'verified',
      description: 'It was made with a key of the user with the committer’s address, who has confirmed that.',
    },
    UNVERIFIED: { value: 'unverified', description: 'It is wrong, or of a kind that is not verified.' },
    UNVERIFIED_KEY: {
      value: 'unverified_key',
      description: 'The GPG key has no address that its user has confirmed.',
    },
    SAME_USER_DIFFERENT_EMAIL: {
      value: 'same_user_different_email',
      description: 'The GPG key is the committer’s, but does not have the address of the commit.',
    },
    OTHER_USER: { value: 'other_user', description: 'It was made with a key of another user than the committer.' },
    UNKNOWN_KEY: { value: 'unknown_key', description: 'It was made with a key that belongs to no user.' },
    MULTIPLE_SIGNATURES: {
      value: 'multiple_signatures',
      description: 'There are several signatures, of which none is verified.',
    },
    REVOKED_KEY: { value: 'revoked_key', description: 'It was made with a GPG key that was revoked.' },
  } as const,
});

const CommitSignature = builder.objectRef<CommitSignatureRow>('CommitSignature').implement({
  description:
    'The signature of a commit, as far as the server can judge it by the SSH keys and GPG keys of its users.',
  fields: (t) => ({
    type: t.expose('type', { type: SignatureType, description: 'How the commit is signed.' }),
    verificationStatus: t.expose('status', {
      type: VerificationStatus,
      description: 'What the server knows of the signature.',
    }),
    pgpKeyId: t.exposeString('pgpKeyId', {
      nullable: true,
      description:
        'The last 16 digits of the fingerprint of the PGP key that the signature names; null for other kinds.',
    }),
    gpgKey: t.field({
      type: GpgKey,
      nullable: true,
      description: 'The GPG key of a user that the signature names. Null for callers who are not signed in.',
      resolve: async ({ gpgKey }, _args, context, info) => {
        if (!gpgKey || !context.actor) return null;
        const selection = selectionAt(info, 'GpgKey');
        return loaderAt(context, info, selection, async (ids: readonly number[]) => {
          const keys = await findGpgKeysByIds(context, ids, selection);
          return ids.map((id) => keys.find((key) => key.id === id) ?? null);
        }).load(gpgKey.id);
      },
    }),
    gpgKeyId: t.int({
      nullable: true,
      description: 'Numeric ID of the GPG key of a user that the signature names; null for other keys.',
      resolve: ({ gpgKey }) => gpgKey?.id ?? null,
    }),
    gpgPrimaryKeyId: t.string({
      nullable: true,
      description: 'The last 16 digits of the fingerprint of the primary key, or of the one that the signature names.',
      resolve: ({ gpgKey, pgpKeyId }) => gpgKey?.primaryKeyId ?? pgpKeyId,
    }),
    gpgSubkeyId: t.int({
      nullable: true,
      description: 'Numeric ID of the subkey that the signature names; null if it names the primary key.',
      resolve: ({ gpgKey }) => gpgKey?.subkeyId ?? null,
    }),
    gpgUserName: t.string({
      nullable: true,
      description: 'A name in the GPG key: the one with the committer’s address, if it is there.',
      resolve: ({ gpgKey }) => gpgKey?.userName ?? null,
    }),
    gpgUserEmail: t.string({
      nullable: true,
      description: 'An address in the GPG key: the committer’s, if it is there.',
      resolve: ({ gpgKey }) => gpgKey?.userEmail ?? null,
    }),
    sshKey: t.field({
      type: SshKey,
      nullable: true,
      description: 'The SSH key that made it. For its user and administrators; null for other callers.',
      resolve: ({ sshKey }) => sshKey,
    }),
  }),
});

builder.objectFields(Commit, (t) => ({
  signature: t.field({
    type: CommitSignature,
    nullable: true,
    description: 'The signature of the commit; null if it is not signed.',
    resolve: (commit, _args, context, info) =>
      loaderAt(context, info, { key: '' }, (commits: readonly CommitRow[]) =>
        signaturesOfCommits(context, commits),
      ).load(commit),
  }),
}));
