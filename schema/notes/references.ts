import { builder } from '#schema/builder.ts';
import { projectField } from '#schema/inputs.ts';
import { fromGlobalId } from '#schema/node/global_id.ts';
import { idOf } from '#schema/node/plugin.ts';
import { NOTEABLE_TYPES, type NoteableRef } from '#src/domain/tracking/noteable.ts';
import { ValidationFailed } from '#src/platform/errors.ts';

export const IssueReference = builder.inputType('IssueReference', {
  description: 'An issue, by its project and number.',
  fields: (t) => ({
    project: projectField(t, 'of the issue'),
    iid: t.int({ required: true, description: 'Number of the issue within its project, as in its URL.' }),
  }),
});

export const MergeRequestReference = builder.inputType('MergeRequestReference', {
  description: 'A merge request, by its target project and number.',
  fields: (t) => ({
    project: projectField(t, 'that the merge request targets'),
    iid: t.int({ required: true, description: 'Number of the merge request within the project, as in its URL.' }),
  }),
});

export const ProjectSnippetReference = builder.inputType('ProjectSnippetReference', {
  description: 'A snippet of a project.',
  fields: (t) => ({
    project: projectField(t, 'of the snippet'),
    id: t.field({ ...idOf('Snippet'), required: true, description: 'Global or numeric ID of the snippet.' }),
  }),
});

export const NoteableReference = builder.inputType('NoteableReference', {
  description: 'A record that notes are written on; give exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: 'Global ID of an issue, a merge request or a snippet of a project.' }),
    issue: t.field({ type: IssueReference, description: 'An issue, by its project and number.' }),
    mergeRequest: t.field({
      type: MergeRequestReference,
      description: 'A merge request, by its target project and number.',
    }),
    snippet: t.field({ type: ProjectSnippetReference, description: 'A snippet of a project.' }),
  }),
});

/** One of the fields, as in inputs. */
interface Given {
  id?: string | null | undefined;
  issue?: typeof IssueReference.$inferInput | null | undefined;
  mergeRequest?: typeof MergeRequestReference.$inferInput | null | undefined;
  snippet?: typeof ProjectSnippetReference.$inferInput | null | undefined;
}

/** The record that an input names. Throws ValidationFailed for IDs of types without notes. */
export function noteableRef({ id, issue, mergeRequest, snippet }: Given): NoteableRef {
  if (issue) return { type: 'Issue', project: issue.project, number: issue.iid };
  if (mergeRequest) return { type: 'MergeRequest', project: mergeRequest.project, number: mergeRequest.iid };
  if (snippet) return { type: 'Snippet', project: snippet.project, number: snippet.id };
  const found = fromGlobalId(id ?? '');
  const type = NOTEABLE_TYPES.find((one) => one === found?.type);
  if (!found || !type) {
    throw new ValidationFailed({ id: ['is not the ID of an issue, a merge request or a snippet'] });
  }
  return { type, id: found.id };
}
