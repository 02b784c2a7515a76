import { builder } from '#schema/builder.ts';
import { mutation } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { User } from '#schema/users/types.ts';
import {
  countSessions,
  endOwnSession,
  endSessions,
  listOwnSessions,
  type OwnSession,
} from '#src/access/credentials/sessions/end.ts';

const UserSession = builder.objectRef<OwnSession>('UserSession').implement({
  description: 'A browser that the caller is signed in with.',
  fields: (t) => ({
    databaseId: t.exposeInt('id', { description: 'Numeric ID of the session, unique on the server.' }),
    address: t.exposeString('address', {
      nullable: true,
      description: 'IP address from which the user signed in; null if it is not known.',
    }),
    userAgent: t.exposeString('userAgent', {
      nullable: true,
      description: 'What the browser said that it is; up to 255 characters.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the user signed in.' }),
    lastSeenAt: t.expose('lastSeenAt', {
      type: 'DateTime',
      description: 'When the session was last used, accurate to a minute.',
    }),
    current: t.exposeBoolean('isCurrent', { description: 'Whether the request was made with this session.' }),
    impersonation: t.exposeBoolean('isImpersonation', {
      description: 'Whether an administrator acts as the caller by this session.',
    }),
  }),
});

builder.queryField('viewerSessions', (t) =>
  t.field({
    type: [UserSession],
    nullable: true,
    description:
      'The browsers that the caller is signed in with, the latest first; at most a hundred. For signed-in users.',
    resolve: (_root, _args, context) => listOwnSessions(context),
  }),
);

builder.objectField(User, 'activeSessions', (t) =>
  t.int({
    nullable: true,
    description: 'Number of browsers that the user is signed in with. For the user; null for others.',
    resolve: ({ id }, _args, context) => countSessions(context, id),
  }),
);

mutation('endSessions', {
  description: 'Signs the caller out of all browsers, or of all others. For signed-in users.',
  input: {
    description: 'Which sessions of the caller end.',
    argument: 'Says which of the sessions end.',
    fields: (t) => ({
      exceptCurrent: t.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether the session that the request is made with goes on.',
      }),
      clientMutationId: t.string({ description: 'Any text; the server ignores it.' }),
    }),
  },
  resolve: async ({ exceptCurrent }, context) => ({
    ended: await endSessions(context, exceptCurrent ? context.actor?.sessionId : undefined),
  }),
  payload: {
    description: 'How many sessions were ended.',
    fields: (t) => ({ ended: t.exposeInt('ended', { description: 'Number of sessions that were ended.' }) }),
  },
});

mutation('endSession', {
  description: 'Signs the caller out of one browser. For signed-in users.',
  input: {
    description: 'Which session of the caller ends.',
    argument: 'Names the session that ends.',
    fields: (t) => ({
      id: t.field({
        ...idOf('UserSession'),
        required: true,
        description: 'Numeric ID of the session, which is one of the caller’s.',
      }),
    }),
  },
  resolve: async ({ id }, context) => {
    await endOwnSession(context, id);
    return { ended: 1 };
  },
  payload: {
    description: 'How many sessions were ended.',
    fields: (t) => ({ ended: t.exposeInt('ended', { description: 'Number of sessions that were ended.' }) }),
  },
});
