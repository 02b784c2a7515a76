import { builder } from '#schema/builder.ts';
import { type InputFields, projectField } from '#schema/inputs.ts';
import { Tag } from '#schema/tags/types.ts';
import { createTag } from '#src/domain/repository/tags/create.ts';
import { deleteTag } from '#src/domain/repository/tags/delete.ts';
import type { TagRow } from '#src/domain/repository/tags/list.ts';

const tag = (t: InputFields) => ({
  project: projectField(t, 'of the tag'),
  name: t.string({ required: true, description: 'Name of the tag, without `refs/tags/`.' }),
});

const CreateTagInput = builder.inputType('CreateTagInput', {
  description: 'A new tag, and the commit that it points to.',
  fields: (t) => ({
    ...tag(t),
    ref: t.string({
      required: true,
      description:
        'What it points to: a branch, a tag or the hash of a commit, also with steps behind it, such as `master~1`.',
    }),
    message: t.string({ description: 'Message of an annotated tag. Without a message the tag is lightweight.' }),
    releaseDescription: t.string({ description: 'Release notes for the tag, in Markdown.' }),
  }),
});

const DeleteTagInput = builder.inputType('DeleteTagInput', {
  description: 'Which tag to delete.',
  fields: tag,
});

const CreateTagPayload = builder.objectRef<{ tag: TagRow }>('CreateTagPayload').implement({
  description: 'The tag that was created.',
  fields: (t) => ({ tag: t.expose('tag', { type: Tag, description: 'The tag with its release notes.' }) }),
});

const DeleteTagPayload = builder.objectRef<{ name: string }>('DeleteTagPayload').implement({
  description: 'The tag that was deleted.',
  fields: (t) => ({ deletedTagName: t.exposeString('name', { description: 'Name of the tag that was deleted.' }) }),
});

builder.mutationFields((t) => ({
  createTag: t.field({
    type: CreateTagPayload,
    description: 'Creates a tag. For developers.',
    args: {
      input: t.arg({ type: CreateTagInput, required: true, description: 'Name of the tag and what it points to.' }),
    },
    resolve: async (_root, { input: { project, ref, ...values } }, context) => ({
      tag: await createTag(context, project, { target: ref, ...values }),
    }),
  }),
  deleteTag: t.field({
    type: DeleteTagPayload,
    description: 'Deletes a tag with its release notes. For developers.',
    args: { input: t.arg({ type: DeleteTagInput, required: true, description: 'Names the tag to delete.' }) },
    resolve: async (_root, { input: { project, name } }, context) => {
      await deleteTag(context, project, name);
      return { name };
    },
  }),
}));
