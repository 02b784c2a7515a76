import { builder } from '#schema/builder.ts';
import { Release, Tag } from '#schema/tags/types.ts';
import { createTag } from '#src/tags/create.ts';
import { deleteTag } from '#src/tags/delete.ts';
import type { ReleaseRow, TagRow } from '#src/tags/list.ts';
import { createRelease, updateRelease } from '#src/tags/release.ts';

const CreateTagInput = builder.inputType('CreateTagInput', {
  description: 'A new tag.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    name: t.string({ required: true, description: 'Without `refs/tags/`.' }),
    ref: t.string({ required: true, description: 'What it names: a branch, a tag or a hash.' }),
    message: t.string({ description: 'Makes it an annotated tag.' }),
    releaseDescription: t.string({ description: 'Notes about it, in Markdown.' }),
  }),
});

const DeleteTagInput = builder.inputType('DeleteTagInput', {
  description: 'Which tag to delete.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    name: t.string({ required: true, description: 'Without `refs/tags/`.' }),
  }),
});

const ReleaseInput = builder.inputType('ReleaseInput', {
  description: 'Notes about a tag.',
  fields: (t) => ({
    project: t.field({ type: 'ProjectRef', required: true, description: 'Where.' }),
    tag: t.string({ required: true, description: 'Name of the tag.' }),
    description: t.string({ required: true, description: 'The notes, in Markdown.' }),
  }),
});

const TagPayload = builder.objectRef<{ tag: TagRow }>('TagPayload').implement({
  description: 'The tag as it is now.',
  fields: (t) => ({ tag: t.expose('tag', { type: Tag, description: 'The tag.' }) }),
});

const DeleteTagPayload = builder.objectRef<{ name: string }>('DeleteTagPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({ name: t.exposeString('name', { description: 'Name of the tag that is gone.' }) }),
});

const ReleasePayload = builder.objectRef<{ release: ReleaseRow }>('ReleasePayload').implement({
  description: 'The notes as they are now.',
  fields: (t) => ({ release: t.expose('release', { type: Release, description: 'The notes.' }) }),
});

builder.mutationFields((t) => ({
  createTag: t.field({
    type: TagPayload,
    description: 'Creates a tag.',
    args: { input: t.arg({ type: CreateTagInput, required: true, description: 'The new tag.' }) },
    resolve: async (_root, { input: { project, ref, ...values } }, context) => ({
      tag: await createTag(context, project, { target: ref, ...values }),
    }),
  }),
  deleteTag: t.field({
    type: DeleteTagPayload,
    description: 'Deletes a tag and the notes about it.',
    args: { input: t.arg({ type: DeleteTagInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input: { project, name } }, context) => {
      await deleteTag(context, project, name);
      return { name };
    },
  }),
  createRelease: t.field({
    type: ReleasePayload,
    description: 'Writes notes about a tag that has none.',
    args: { input: t.arg({ type: ReleaseInput, required: true, description: 'The notes.' }) },
    resolve: async (_root, { input: { project, tag, description } }, context) => ({
      release: await createRelease(context, project, tag, description),
    }),
  }),
  updateRelease: t.field({
    type: ReleasePayload,
    description: 'Changes the notes about a tag.',
    args: { input: t.arg({ type: ReleaseInput, required: true, description: 'The notes.' }) },
    resolve: async (_root, { input: { project, tag, description } }, context) => ({
      release: await updateRelease(context, project, tag, description),
    }),
  }),
}));
