import { builder } from '#schema/builder.ts';
import { Commit } from '#schema/commits/types.ts';
import { SshKey } from '#schema/keys/types.ts';
import { type CommitSignatureRow, signatureOfCommit } from '#src/domain/repository/commits/signature.ts';

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
    VERIFIED: { value: 'verified', description: 'It was made with an SSH key of the committer.' },
    UNVERIFIED: { value: 'unverified', description: 'It is wrong, or of a kind that is not verified.' },
    OTHER_USER: { value: 'other_user', description: 'It was made with an SSH key of another user than the committer.' },
    UNKNOWN_KEY: { value: 'unknown_key', description: 'It was made with a key that belongs to no user.' },
  } as const,
});

const CommitSignature = builder.objectRef<CommitSignatureRow>('CommitSignature').implement({
  description: 'The signature of a commit, as far as the server can judge it: it knows the SSH keys of users.',
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
    resolve: (commit, _args, context) => signatureOfCommit(context, commit),
  }),
}));
