import { Branch } from '#schema/branches/types.ts';
import { builder } from '#schema/builder.ts';
import { type InputFields, namesOf, projectField } from '#schema/inputs.ts';
import { createBranch } from '#src/domain/repository/branches/create.ts';
import { deleteBranch } from '#src/domain/repository/branches/delete.ts';
import type { BranchRow } from '#src/domain/repository/branches/list.ts';
import { deleteMergedBranches } from '#src/domain/repository/branches/merged.ts';
import { protectBranch, unprotectBranch } from '#src/domain/repository/branches/protect.ts';

const branch = (t: InputFields) => ({
  project: projectField(t, 'of the branch'),
  name: t.string({ required: true, description: 'Name of the branch, without `refs/heads/`.' }),
});

const CreateBranchInput = builder.inputType('CreateBranchInput', {
  description: 'A new branch and where it begins.',
  fields: (t) => ({
    ...branch(t),
    ref: t.string({
      required: true,
      description:
        'Where it begins: a branch, a tag or the hash of a commit, also with steps behind it, such as `master~1`.',
    }),
  }),
});

const DeleteBranchInput = builder.inputType('DeleteBranchInput', {
  description: 'Which branch to delete.',
  fields: branch,
});

const UnprotectBranchInput = builder.inputType('UnprotectBranchInput', {
  description: 'Which branch to unprotect.',
  fields: branch,
});

const ProtectBranchInput = builder.inputType('ProtectBranchInput', {
  description:
    'Which branch to protect, and what developers can still do. Values that are left out are false for a branch that was not protected, and otherwise keep their value.',
  fields: (t) => ({
    ...branch(t),
    developersCanPush: t.boolean({ description: 'Whether developers can still push to the branch.' }),
    developersCanMerge: t.boolean({ description: 'Whether developers can still merge into the branch.' }),
  }),
});

const DeleteMergedBranchesInput = builder.inputType('DeleteMergedBranchesInput', {
  description: 'The project whose merged branches are deleted.',
  fields: (t) => ({ project: projectField(t, 'whose merged branches are deleted') }),
});

function branchPayload(mutation: string) {
  return builder.objectRef<{ branch: BranchRow }>(namesOf(mutation).payload).implement({
    description: 'The branch after the mutation.',
    fields: (t) => ({ branch: t.expose('branch', { type: Branch, description: 'The branch as it is now.' }) }),
  });
}

const DeleteBranchPayload = builder.objectRef<{ name: string }>('DeleteBranchPayload').implement({
  description: 'The branch that was deleted.',
  fields: (t) => ({
    deletedBranchName: t.exposeString('name', {
      description: 'Name of the branch that was deleted; it can be used again.',
    }),
  }),
});

const DeleteMergedBranchesPayload = builder.objectRef<{ accepted: boolean }>('DeleteMergedBranchesPayload').implement({
  description: 'Confirmation that the deletion was queued as a background job.',
  fields: (t) => ({ accepted: t.exposeBoolean('accepted', { description: 'True once the job is queued.' }) }),
});

builder.mutationFields((t) => ({
  createBranch: t.field({
    type: branchPayload('createBranch'),
    description: 'Creates a branch. For developers.',
    args: {
      input: t.arg({ type: CreateBranchInput, required: true, description: 'Name of the branch and where it begins.' }),
    },
    resolve: async (_root, { input: { project, name, ref } }, context) => ({
      branch: await createBranch(context, project, name, ref),
    }),
  }),
  deleteBranch: t.field({
    type: DeleteBranchPayload,
    description: 'Deletes a branch. The default branch and protected branches cannot be deleted. For developers.',
    args: { input: t.arg({ type: DeleteBranchInput, required: true, description: 'Names the branch to delete.' }) },
    resolve: async (_root, { input: { project, name } }, context) => {
      await deleteBranch(context, project, name);
      return { name };
    },
  }),
  protectBranch: t.field({
    type: branchPayload('protectBranch'),
    description:
      'Protects a branch, so that only masters can push and merge, or changes what developers can do. For masters of the project.',
    args: {
      input: t.arg({
        type: ProtectBranchInput,
        required: true,
        description: 'Names the branch, and what developers may do.',
      }),
    },
    resolve: async (_root, { input: { project, name, ...changes } }, context) => ({
      branch: await protectBranch(context, project, name, changes),
    }),
  }),
  unprotectBranch: t.field({
    type: branchPayload('unprotectBranch'),
    description: 'Removes the protection of a branch; a pattern may still protect it. For masters of the project.',
    args: {
      input: t.arg({ type: UnprotectBranchInput, required: true, description: 'Names the branch to unprotect.' }),
    },
    resolve: async (_root, { input: { project, name } }, context) => ({
      branch: await unprotectBranch(context, project, name),
    }),
  }),
  deleteMergedBranches: t.field({
    type: DeleteMergedBranchesPayload,
    description:
      'Queues a job that deletes the branches that are merged into the default branch, except for protected ones and those of open merge requests. For developers.',
    args: {
      input: t.arg({
        type: DeleteMergedBranchesInput,
        required: true,
        description: 'Names the project whose merged branches are deleted.',
      }),
    },
    resolve: async (_root, { input: { project } }, context) => {
      await deleteMergedBranches(context, project);
      return { accepted: true };
    },
  }),
}));
