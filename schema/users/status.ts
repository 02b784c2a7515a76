import { builder } from '#schema/builder.ts';
import { htmlOf } from '#schema/markdown/html_of.ts';
import { mutation } from '#schema/mutation.ts';
import { User } from '#schema/users/types.ts';
import { requireAccount } from '#src/access/permissions/actor.ts';
import { findStatus, STATUS_TERMS, type Status, setStatus } from '#src/domain/tracking/people/status.ts';

const Availability = builder.enumType('UserAvailability', {
  description: 'Whether a user has time for others.',
  values: {
    BUSY: { value: 'busy', description: 'The user is busy, and may answer late.' },
    NOT_SET: { value: 'not_set', description: 'The user says nothing about it.' },
  } as const,
});

const IN_WORDS: Record<(typeof STATUS_TERMS)[number], string> = {
  '30_minutes': 'In half an hour.',
  '3_hours': 'In three hours.',
  '8_hours': 'In eight hours.',
  '1_day': 'In 24 hours.',
  '3_days': 'In three days.',
  '7_days': 'In seven days.',
  '30_days': 'In thirty days.',
};

const ClearStatusAfter = builder.enumType('ClearStatusAfter', {
  description: 'When a status ends by itself.',
  values: Object.fromEntries(
    STATUS_TERMS.map((term) => {
      const [count = '', unit = ''] = term.split('_');
      return [`${unit.toUpperCase()}_${count}`, { value: term, description: IN_WORDS[term] }];
    }),
  ),
});

const UserStatus = builder.objectRef<Status>('UserStatus').implement({
  description: 'What a user says about themself for the moment.',
  fields: (t) => ({
    emoji: t.exposeString('emoji', {
      nullable: true,
      description: 'Name of an emoji, without colons; null where the user has no status.',
    }),
    message: t.exposeString('message', { nullable: true, description: 'A short text; null without one.' }),
    messageHtml: t.string({
      description: 'The text as sanitised HTML; empty without one.',
      resolve: ({ message }, _args, context) => htmlOf(context, message, null, 'line'),
    }),
    availability: t.expose('availability', {
      type: Availability,
      description: 'Whether the user has time for others.',
    }),
    clearAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the status ends by itself; null if it does not.',
      resolve: ({ clearAt }) => clearAt?.toISOString() ?? null,
    }),
  }),
});

builder.prismaObjectField(User, 'status', (t) =>
  t.field({
    type: UserStatus,
    nullable: true,
    description: 'What the user says about themself for the moment; null if nothing.',
    select: { status: { select: { emoji: true, message: true, availability: true, clearAt: true } } },
    resolve: ({ status }) => {
      if (!status) return null;
      const clearAt = status.clearAt === null ? null : new Date(status.clearAt);
      return clearAt && clearAt <= new Date() ? null : { ...status, clearAt };
    },
  }),
);

builder.queryField('userStatus', (t) =>
  t.field({
    type: UserStatus,
    nullable: true,
    description: 'What a user says about themself for the moment. No sign-in is needed.',
    args: {
      idOrUsername: t.arg.string({ required: true, description: 'Numeric ID of the user, or otherwise the username.' }),
    },
    resolve: (_root, { idOrUsername }, context) => findStatus(context, idOrUsername),
  }),
);

builder.queryField('viewerStatus', (t) =>
  t.field({
    type: UserStatus,
    nullable: true,
    description: 'What the caller says about themself for the moment; its fields are null without a status.',
    resolve: (_root, _args, context) => findStatus(context, String(requireAccount(context).id)),
  }),
);

mutation('setStatus', {
  description: 'Sets what the caller says about themself. A status of which nothing is left ends.',
  input: {
    description: 'Changes to the status of the caller: what is left out stays as it is, null clears it.',
    argument: 'What to say for the moment.',
    fields: (t) => ({
      emoji: t.string({ description: 'Name of an emoji, such as `coffee`; a speech balloon where there is none.' }),
      message: t.string({ description: 'A short text, of at most 100 characters.' }),
      availability: t.field({ type: Availability, description: 'Whether the user has time for others.' }),
      clearAfter: t.field({ type: ClearStatusAfter, description: 'When the status ends by itself; null for never.' }),
    }),
  },
  resolve: async (input, context) => ({ status: await setStatus(context, input) }),
  payload: {
    description: 'The status of the caller after the mutation.',
    fields: (t) => ({
      status: t.expose('status', {
        type: UserStatus,
        description: 'The status as it is now; its fields are null without one.',
      }),
    }),
  },
});
