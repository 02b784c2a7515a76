import type { InputFields } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { placeFields } from '#schema/places/fields.ts';
import { fromPlace } from '#schema/places/parents.ts';
import { PUSH_RULE_PARTS, PushRule } from '#schema/push_rules/types.ts';
import { findPushRules } from '#src/domain/repository/push_rules/find.ts';
import {
  type ChangedRule,
  createPushRule,
  deletePushRule,
  updatePushRule,
} from '#src/domain/repository/push_rules/save.ts';
import { NotFound } from '#src/platform/errors.ts';

const WHERE = 'whose pushes the rule is for';

const parts = (t: InputFields) => ({
  commitMessageRegex: t.string({ description: PUSH_RULE_PARTS.commitMessageRegex }),
  commitMessageNegativeRegex: t.string({ description: PUSH_RULE_PARTS.commitMessageNegativeRegex }),
  branchNameRegex: t.string({ description: PUSH_RULE_PARTS.branchNameRegex }),
  authorEmailRegex: t.string({ description: PUSH_RULE_PARTS.authorEmailRegex }),
  fileNameRegex: t.string({ description: PUSH_RULE_PARTS.fileNameRegex }),
  maxFileSize: t.int({ description: PUSH_RULE_PARTS.maxFileSize }),
  denyDeleteTag: t.boolean({ description: PUSH_RULE_PARTS.denyDeleteTag }),
  memberCheck: t.boolean({ description: PUSH_RULE_PARTS.memberCheck }),
  preventSecrets: t.boolean({ description: PUSH_RULE_PARTS.preventSecrets }),
  commitCommitterCheck: t.boolean({ description: PUSH_RULE_PARTS.commitCommitterCheck }),
  commitCommitterNameCheck: t.boolean({ description: PUSH_RULE_PARTS.commitCommitterNameCheck }),
  rejectUnsignedCommits: t.boolean({ description: PUSH_RULE_PARTS.rejectUnsignedCommits }),
  rejectNonDcoCommits: t.boolean({ description: PUSH_RULE_PARTS.rejectNonDcoCommits }),
});

const payload: Payload<ChangedRule> = changed(
  'pushRule',
  PushRule,
  'PushRule',
  async (context, { place }, selection) => {
    const [rule] = await findPushRules(context, [place], selection);
    if (!rule || rule instanceof Error) throw rule ?? new NotFound('PushRule');
    return rule;
  },
);

mutation('createPushRule', {
  description:
    'Gives a project or group a push rule; CONFLICT if it has one. For masters of the project and owners of the group.',
  input: {
    description: 'A new push rule. What is left out is not checked.',
    argument: 'Place of the rule, and what it checks.',
    fields: (t) => ({ ...placeFields(t, WHERE), ...parts(t) }),
  },
  resolve: ({ project, group, ...values }, context) => createPushRule(context, { project, group }, values),
  payload,
});

mutation('updatePushRule', {
  description:
    'Changes the push rule of a project or group itself. For masters of the project and owners of the group.',
  input: {
    description: 'Changes to a push rule. What is left out stays as it is.',
    argument: 'Place of the rule, and the changes.',
    fields: (t) => ({ ...placeFields(t, WHERE), ...parts(t) }),
  },
  resolve: ({ project, group, ...values }, context) => updatePushRule(context, { project, group }, values),
  payload,
});

mutation('deletePushRule', {
  description:
    'Removes the push rule of a project or group itself: that of the nearest group around it applies from then on, if there is one. For masters of the project and owners of the group.',
  input: {
    description: 'Whose push rule to remove.',
    argument: 'Place of the rule.',
    fields: (t) => placeFields(t, WHERE),
  },
  resolve: async ({ project, group }, context) => ({
    project,
    group,
    ...(await deletePushRule(context, { project, group })),
  }),
  payload: { ...deleted('PushRule', 'push rule'), from: fromPlace },
});
