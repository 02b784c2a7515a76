import { Branch } from '#schema/branches/types.ts';
import { builder } from '#schema/builder.ts';
import { createBranch } from '#src/branches/create.ts';
import { deleteBranch } from '#src/branches/delete.ts';
import type { BranchRow } from '#src/branches/list.ts';
import { deleteMergedBranches } from '#src/branches/merged.ts';
import { protectBranch, unprotectBranch } from '#src/branches/protect.ts';

const CreateBranchInput = builder.inputType('CreateBranchInput', {
  description: 'A new branch.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    name: t.string({ required: true, description: 'Without `refs/heads/`.' }),
    ref: t.string({ required: true, description: 'Where it begins: a branch, a tag or a hash.' }),
  }),
});

const BranchInput = builder.inputType('BranchInput', {
  description: 'Which branch.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    name: t.string({ required: true, description: 'Without `refs/heads/`.' }),
  }),
});

const ProtectBranchInput = builder.inputType('ProtectBranchInput', {
  description: 'Which branch to protect, and from whom not: unset means no at first, and unchanged later.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    name: t.string({ required: true, description: 'Without `refs/heads/`.' }),
    developersCanPush: t.boolean({ description: 'Whether developers may push all the same.' }),
    developersCanMerge: t.boolean({ description: 'Whether developers may merge all the same.' }),
  }),
});

const DeleteMergedBranchesInput = builder.inputType('DeleteMergedBranchesInput', {
  description: 'Where to delete merged branches.',
  fields: (t) => ({ project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }) }),
});

const BranchPayload = builder.objectRef<{ branch: BranchRow }>('BranchPayload').implement({
  description: 'The branch as it is now.',
  fields: (t) => ({ branch: t.expose('branch', { type: Branch, description: 'The branch.' }) }),
});

const DeleteBranchPayload = builder.objectRef<{ name: string }>('DeleteBranchPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({ name: t.exposeString('name', { description: 'Name of the branch that is gone.' }) }),
});

const DeleteMergedBranchesPayload = builder.objectRef<{ accepted: boolean }>('DeleteMergedBranchesPayload').implement({
  description: 'What is to come.',
  fields: (t) => ({ accepted: t.exposeBoolean('accepted', { description: 'That it will be done.' }) }),
});

builder.mutationFields((t) => ({
  createBranch: t.field({
    type: BranchPayload,
    description: 'Creates a branch.',
    args: { input: t.arg({ type: CreateBranchInput, required: true, description: 'The new branch.' }) },
    resolve: async (_root, { input: { project, name, ref } }, context) => ({
      branch: await createBranch(context, project, name, ref),
    }),
  }),
  deleteBranch: t.field({
    type: DeleteBranchPayload,
    description: 'Deletes a branch; not the default one, nor one that is protected.',
    args: { input: t.arg({ type: BranchInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, name } }, context) => {
      await deleteBranch(context, project, name);
      return { name };
    },
  }),
  protectBranch: t.field({
    type: BranchPayload,
    description: 'Lets only masters push to a branch and merge into it, or changes what developers may.',
    args: { input: t.arg({ type: ProtectBranchInput, required: true, description: 'Which one, and how.' }) },
    resolve: async (_root, { input: { project, name, ...changes } }, context) => ({
      branch: await protectBranch(context, project, name, changes),
    }),
  }),
  unprotectBranch: t.field({
    type: BranchPayload,
    description: 'Takes the protection of a branch away; a pattern may still protect it.',
    args: { input: t.arg({ type: BranchInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, name } }, context) => ({
      branch: await unprotectBranch(context, project, name),
    }),
  }),
  deleteMergedBranches: t.field({
    type: DeleteMergedBranchesPayload,
    description:
      'Has the branches deleted that are merged into the default one, save those that are protected or belong to open merge requests.',
    args: { input: t.arg({ type: DeleteMergedBranchesInput, required: true, description: 'Where.' }) },
    resolve: async (_root, { input: { project } }, context) => {
      await deleteMergedBranches(context, project);
      return { accepted: true };
    },
  }),
}));
