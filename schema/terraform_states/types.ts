import { builder } from '#schema/builder.ts';
import { connectionOf, pageArgs } from '#schema/connection.ts';
import { terraformStateFilter } from '#schema/filters.ts';
import { Node, toGlobalId } from '#schema/node/types.ts';
import { terraformStateOrder } from '#schema/orders.ts';
import { ownProject } from '#schema/projects/own_project.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { findStateNamed, terraformStates } from '#src/domain/terraform_states/list.ts';

export const TerraformState = builder.prismaObject('TerraformState', {
  description: 'A state of Terraform or OpenTofu, which programs keep at the project over its HTTP backend.',
  interfaces: [Node],
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the state, for `node` and `nodes`.',
      resolve: ({ id }) => toGlobalId('TerraformState', id),
    }),
    project: t.field(ownProject),
    name: t.exposeString('name', { description: 'Name of the state, unique within the project.' }),
    serial: t.expose('serial', {
      type: 'Long',
      nullable: true,
      description:
        'Serial number of the newest version, as programs count them; null for a state that was only locked.',
    }),
    size: t.expose('size', {
      type: 'Long',
      nullable: true,
      description: 'Size of the newest version in bytes; null for a state that was only locked.',
    }),
    versionsCount: t.exposeInt('versionsCount', { description: 'Number of versions that are kept.' }),
    lockedAt: t.expose('lockedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the state was locked; null while anyone may write it.',
    }),
    lockedBy: t.relation('lockedBy', {
      nullable: true,
      description: 'The user who locked the state; null while it is open, and for users who were deleted.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the state was first written or locked.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When a version was last written.' }),
  }),
});

const TerraformStateConnection = connectionOf('TerraformState', TerraformState);

builder.objectFields(Project, (t) => ({
  terraformStates: t.field({
    type: TerraformStateConnection,
    nullable: true,
    description: 'The states of Terraform of the project, by name. For developers.',
    args: { ...pageArgs, ...terraformStateFilter, ...terraformStateOrder('NAME', 'asc') },
    resolve: (project, args, context, info) =>
      pageBelow('TerraformState', project, args, context, info, (_context, projects, page, selection) =>
        terraformStates.list(context, projects, page, selection),
      ),
  }),
  terraformState: t.field({
    type: TerraformState,
    description: 'A state of Terraform of the project by its name. For developers.',
    args: { name: t.arg.string({ required: true, description: 'Name of the state, in exact case.' }) },
    resolve: (project, { name }, context, info) =>
      findStateNamed(context, project, name, selectionAt(info, 'TerraformState')),
  }),
}));
