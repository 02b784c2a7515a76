import { builder } from '#schema/builder.ts';
import { emptyInput } from '#schema/inputs.ts';
import { User } from '#schema/users/types.ts';
import { countSessions, endSessions } from '#src/access/credentials/sessions/end.ts';

const EndSessionsInput = emptyInput('EndSessionsInput', 'No input is needed to end the caller’s sessions.');

const EndSessionsPayload = builder.objectRef<{ ended: number }>('EndSessionsPayload').implement({
  description: 'How many sessions were ended.',
  fields: (t) => ({ ended: t.exposeInt('ended', { description: 'Number of sessions that were ended.' }) }),
});

builder.objectField(User, 'activeSessions', (t) =>
  t.int({
    nullable: true,
    description: 'Number of browsers that the user is signed in with. For the user; null for others.',
    resolve: ({ id }, _args, context) => countSessions(context, id),
  }),
);

builder.mutationField('endSessions', (t) =>
  t.field({
    type: EndSessionsPayload,
    description: 'Signs the caller out of all browsers. For signed-in users.',
    args: { input: t.arg({ type: EndSessionsInput, required: true, description: 'No values have to be given.' }) },
    resolve: async (_root, _args, context) => ({ ended: await endSessions(context) }),
  }),
);
