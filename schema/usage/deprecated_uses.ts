import { isEnumType, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';
import { builder } from '#schema/builder.ts';
import {
  type DeprecatedUseRow,
  listDeprecatedUses,
  MAX_LISTED_USES,
} from '#src/domain/administration/deprecated_uses.ts';

const DeprecatedUse = builder.objectRef<DeprecatedUseRow>('DeprecatedUse').implement({
  description: 'How often a program used something that is deprecated in this schema.',
  fields: (t) => ({
    field: t.exposeString('field', {
      description:
        'What is deprecated, by its coordinate: `Issue.weight`, `Query.issues(sort:)`, `IssueFilter.labels`, `IssueSort.OLD`.',
    }),
    reason: t.string({
      nullable: true,
      description: 'Why, and what to use in its place; null if it is no longer in the schema.',
      resolve: ({ field }, _args, _context, { schema }) => {
        const [, typeName = '', name = '', argument] = /^(\w+)\.(\w+)(?:\((\w+):\))?$/.exec(field) ?? [];
        const type = schema.getType(typeName);
        if (isEnumType(type)) return type.getValue(name)?.deprecationReason ?? null;
        if (isInputObjectType(type)) return type.getFields()[name]?.deprecationReason ?? null;
        if (!isObjectType(type) && !isInterfaceType(type)) return null;
        const found = type.getFields()[name];
        const part = argument === undefined ? found : found?.args.find((one) => one.name === argument);
        return part?.deprecationReason ?? null;
      },
    }),
    client: t.exposeString('client', {
      nullable: true,
      description:
        'The program, as it calls itself in the header `apollographql-client-name`; null if it does not say.',
    }),
    credential: t.exposeString('credential', {
      description:
        'What it was used with: `oauth`, `personal_token`, `private_token`, `session` or another kind of credential, `visitor` for callers without an account, and `other` for all beyond 500 programs.',
    }),
    applicationName: t.exposeString('applicationName', {
      nullable: true,
      description: 'Name of the OAuth application; null without one.',
    }),
    tokenName: t.exposeString('tokenName', {
      nullable: true,
      description: 'Name of the access token; null without one.',
    }),
    username: t.exposeString('username', {
      nullable: true,
      description: 'Username of the owner of the access token; null without one.',
    }),
    count: t.field({
      type: 'Long',
      description: 'How many operations used it.',
      resolve: ({ count }) => count,
    }),
    firstUsedAt: t.expose('firstUsedAt', { type: 'DateTime', description: 'When it was used first.' }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', description: 'When it was used last, to within a minute.' }),
  }),
});

builder.queryFields((t) => ({
  deprecatedUses: t.field({
    type: [DeprecatedUse],
    nullable: true,
    description: `What programs use that is deprecated, by program, those used last first, at most ${MAX_LISTED_USES}; what was not used for 180 days is forgotten. For administrators.`,
    resolve: (_root, _args, context) => listDeprecatedUses(context),
  }),
}));
