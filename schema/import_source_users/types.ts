import { builder } from '#schema/builder.ts';
import { connectionOf } from '#schema/connection.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import '#src/domain/users/computed_fields.ts';

export const ImportSourceUserStatus = builder.enumType('ImportSourceUserStatus', {
  description: 'Where the takeover of a placeholder stands.',
  values: {
    PENDING_REASSIGNMENT: { value: 'pending_reassignment', description: 'Nobody is assigned yet.' },
    AWAITING_APPROVAL: { value: 'awaiting_approval', description: 'The assigned account has not answered yet.' },
    REASSIGNMENT_IN_PROGRESS: {
      value: 'reassignment_in_progress',
      description: 'The account has accepted, or everything goes to the ghost user; a job is at it.',
    },
    REJECTED: { value: 'rejected', description: 'The assigned account has refused.' },
    KEEP_AS_PLACEHOLDER: { value: 'keep_as_placeholder', description: 'The placeholder stays as it is.' },
    COMPLETED: {
      value: 'completed',
      description: 'The account has everything but what it may not see, for which the placeholder stays.',
    },
  } as const,
});

export const ImportSourceUser = builder.prismaObject('ImportSourceUser', {
  description: 'A user of another server, or of an archive, for whom imports have found no account.',
  select: { id: true },
  interfaces: [Node],
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the user of a source.',
      resolve: ({ id }) => toGlobalId('ImportSourceUser', id),
    }),
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the user of a source.' }),
    namespacePath: t.string({
      description: 'Full path of the top-level group or personal namespace that was imported into.',
      select: { namespace: { select: { fullPath: true } } },
      resolve: ({ namespace }) => namespace.fullPath,
    }),
    sourceHostname: t.exposeString('sourceHostname', {
      description: 'Host that the user comes from; empty for archives that do not name it.',
    }),
    importType: t.exposeString('importType', {
      description:
        'What kind of import first named the user: `github`, `gitea`, `gitlab_migration` or `gitlab_project`.',
    }),
    sourceUserIdentifier: t.exposeString('sourceUserIdentifier', {
      description: 'ID of the user there, followed by a colon and the username if the host is not known.',
    }),
    sourceUsername: t.exposeString('sourceUsername', {
      description: 'Username there; empty if it is not known.',
    }),
    sourceName: t.exposeString('sourceName', { description: 'What the user is called there, as pages show it.' }),
    status: t.expose('status', {
      type: ImportSourceUserStatus,
      description: 'Where the takeover of the placeholder stands.',
    }),
    placeholderUser: t.relation('placeholderUser', {
      nullable: true,
      description: 'The placeholder, which is named where the user was; null once an account has everything.',
    }),
    reassignToUser: t.relation('reassignToUser', {
      nullable: true,
      description: 'The account that was asked to take the placeholder over, or has accepted; null for none.',
    }),
    reassignedByUser: t.relation('reassignedBy', {
      nullable: true,
      description: 'Who asked that account; null for nobody, and for an account that was deleted.',
    }),
    membershipCount: t.int({
      description: 'How many memberships of the source the account gets with the placeholder, at most.',
      select: { membershipCount: true },
      resolve: ({ membershipCount }) => membershipCount,
    }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When that account accepted; null if it has not.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When an import first named the user.',
    }),
  }),
});

export const ImportSourceUserConnection = connectionOf('ImportSourceUser', ImportSourceUser);
