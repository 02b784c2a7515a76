import { builder } from '#schema/builder.ts';
import { Project } from '#schema/projects/types.ts';
import { can } from '#src/access/permissions/abilities.ts';
import { DEFAULT_POLICY, type Policy } from '#src/domain/container_registry/expiration_policy.ts';

const PARTS = {
  cadence: 'How often the policy is applied: `1d`, `7d`, `14d`, `1month` or `3month`.',
  keepN:
    'How many of the tags that match stay in each repository, the latest pushed ones: 1, 5, 10, 25, 50 or 100; null for none.',
  olderThan: 'How long ago tags must have been pushed: `7d`, `14d`, `30d`, `60d` or `90d`; null for any time.',
  nameRegexKeep: 'A regular expression for the whole names of tags that stay in any case; null for none but `latest`.',
} as const;

const ContainerExpirationPolicy = builder.objectRef<Policy>('ContainerExpirationPolicy').implement({
  description:
    'Which tags of images of a project are deleted on a schedule. `latest`, and tags that a protection rule matches, stay.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'Whether tags are deleted; not at first.' }),
    cadence: t.exposeString('cadence', { description: PARTS.cadence }),
    keepN: t.exposeInt('keepN', { nullable: true, description: PARTS.keepN }),
    olderThan: t.exposeString('olderThan', { nullable: true, description: PARTS.olderThan }),
    nameRegex: t.exposeString('nameRegex', {
      description: 'A regular expression that matches the whole names of the tags to delete.',
    }),
    nameRegexKeep: t.exposeString('nameRegexKeep', { nullable: true, description: PARTS.nameRegexKeep }),
    nextRunAt: t.expose('nextRunAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the policy is applied next, if it is enabled then; null for one that never was saved.',
    }),
  }),
});

export const ContainerExpirationPolicyInput = builder.inputType('ContainerExpirationPolicyInput', {
  description: 'Which tags of images of a project to delete on a schedule.',
  fields: (t) => ({
    enabled: t.boolean({ description: 'Whether tags are deleted.' }),
    cadence: t.string({ description: PARTS.cadence }),
    keepN: t.int({ description: PARTS.keepN }),
    olderThan: t.string({ description: PARTS.olderThan }),
    nameRegex: t.string({ description: 'The same as `nameRegexDelete`, under its earlier name.' }),
    nameRegexDelete: t.string({
      description: 'A regular expression that matches the whole names of the tags to delete; `.*` for all.',
    }),
    nameRegexKeep: t.string({ description: PARTS.nameRegexKeep }),
  }),
});

builder.prismaObjectFields(Project, (t) => ({
  containerExpirationPolicy: t.field({
    type: ContainerExpirationPolicy,
    nullable: true,
    description: 'Which tags of images are deleted on a schedule. For masters; null for others.',
    select: {
      containerExpirationPolicy: {
        select: {
          enabled: true,
          cadence: true,
          keepN: true,
          olderThan: true,
          nameRegex: true,
          nameRegexKeep: true,
          nextRunAt: true,
        },
      },
    },
    resolve: ({ containerExpirationPolicy: policy, ...project }, _args, { actor }) => {
      if (!can(actor, 'admin_container_image', project)) return null;
      return policy ? { ...policy, nextRunAt: new Date(policy.nextRunAt) } : DEFAULT_POLICY;
    },
  }),
}));
