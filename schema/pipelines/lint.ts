import { builder } from '#schema/builder.ts';
import { callerOf } from '#src/access/permissions/caller.ts';
import { lintConfig } from '#src/domain/ci/pipelines/config/read.ts';

const CiLintStatus = builder.enumType('CiLintStatus', {
  description: 'Whether a `.gitlab-ci.yml` can be used.',
  values: {
    VALID: { value: 'valid', description: 'Pipelines can be made of it.' },
    INVALID: { value: 'invalid', description: 'Pipelines would fail because of errors in it.' },
  } as const,
});

const CiLint = builder.objectRef<{ error: string | null }>('CiLint').implement({
  description: 'What a check of a `.gitlab-ci.yml` found.',
  fields: (t) => ({
    status: t.field({
      type: CiLintStatus,
      description: 'Whether the content can be used.',
      resolve: ({ error }) => (error === null ? 'valid' : 'invalid'),
    }),
    errors: t.stringList({
      description: 'The first thing that is wrong with the content; empty if it is valid.',
      resolve: ({ error }) => (error === null ? [] : [error]),
    }),
  }),
});

builder.queryFields((t) => ({
  ciLint: t.field({
    type: CiLint,
    description: 'Checks the content of a `.gitlab-ci.yml`, of at most 1 MiB. For everyone.',
    args: { content: t.arg.string({ required: true, description: 'Text of the file, in YAML.' }) },
    resolve: (_root, { content }, context) => {
      const wish = { text: content, occasion: null, known: { weak: {}, strong: {} }, ground: null };
      return lintConfig(context, callerOf(context.actor, context.clientAddress), wish);
    },
  }),
}));
