import { builder } from '#schema/builder.ts';
import { User } from '#schema/users/types.ts';
import { countSessions, endSessions } from '#src/access/sessions/end.ts';

const EndSessionsInput = builder.inputType('EndSessionsInput', {
  description: 'Nothing has to be said for this.',
  fields: (t) => ({ clientMutationId: t.string({ description: 'For the client; not looked at.' }) }),
});

const EndSessionsPayload = builder.objectRef<{ ended: number }>('EndSessionsPayload').implement({
  description: 'What has ended.',
  fields: (t) => ({ ended: t.exposeInt('ended', { description: 'How many sessions there were.' }) }),
});

builder.objectField(User, 'activeSessions', (t) =>
  t.int({
    nullable: true,
    description: 'In how many browsers they are signed in. For the user; null for others.',
    resolve: ({ id }, _args, context) => countSessions(context, id),
  }),
);

builder.mutationField('endSessions', (t) =>
  t.field({
    type: EndSessionsPayload,
    description: 'Signs the caller out of all browsers.',
    args: { input: t.arg({ type: EndSessionsInput, required: true, description: 'Nothing.' }) },
    resolve: async (_root, _args, context) => ({ ended: await endSessions(context) }),
  }),
);
