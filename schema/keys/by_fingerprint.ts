import { builder } from '#schema/builder.ts';
import { SshKeyUsage } from '#schema/keys/types.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { User } from '#schema/users/types.ts';
import { findKeyByFingerprint, type RegisteredKey } from '#src/domain/repository/deploy_keys/by_fingerprint.ts';

export const DeployKeyProject = builder
  .objectRef<NonNullable<RegisteredKey['deployKeyProjects']>[number]>('DeployKeyProject')
  .implement({
    description: 'A project that a deploy key opens.',
    fields: (t) => ({
      deployKeyId: t.exposeInt('deployKeyId', { description: 'Numeric ID of the deploy key.' }),
      projectId: t.exposeInt('projectId', { description: 'Numeric ID of the project.' }),
      canPush: t.exposeBoolean('canPush', { description: 'Whether the key can push to the project.' }),
    }),
  });

const RegisteredKeyType = builder.objectRef<RegisteredKey>('RegisteredKey').implement({
  description: 'A public key that the server knows: an SSH key of a user, or a deploy key.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the key among those of its kind.' }),
    title: t.exposeString('title', { description: 'Title that the key was given.' }),
    key: t.exposeString('key', { description: 'The public key in OpenSSH format, on one line.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the key was added.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From when on nobody is let in by the key; null when it never expires.',
    }),
    usageType: t.expose('usageType', { type: SshKeyUsage, description: 'What the key is for.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the key was last used, to the minute; null if never.',
    }),
    user: t.expose('user', {
      type: User,
      nullable: true,
      description: 'The user who owns the key, or added the deploy key; null if that user was deleted.',
    }),
    deployKeyProjects: t.field({
      type: [DeployKeyProject],
      description: 'The projects that a deploy key opens; empty for the key of a user.',
      resolve: ({ deployKeyProjects }) => deployKeyProjects ?? [],
    }),
  }),
});

builder.queryFields((t) => ({
  keyByFingerprint: t.field({
    type: RegisteredKeyType,
    description: 'The SSH key or deploy key with a fingerprint. For administrators.',
    args: {
      fingerprint: t.arg.string({
        required: true,
        description: 'The fingerprint: `SHA256:…`, or MD5 as pairs of hexadecimal digits separated by colons.',
      }),
    },
    resolve: (_root, { fingerprint }, context, info) =>
      findKeyByFingerprint(context, fingerprint, selectionAt(info, 'User')),
  }),
}));
