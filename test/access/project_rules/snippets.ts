import { createSnippet } from '#src/domain/snippets/save.ts';
import type { Rule, Stage } from '../matrix.ts';
import { talkRules } from '../talk_rules.ts';
import type { ProjectGiven } from './given.ts';

/** behaviour.md 6 of snippets. */
export function snippetRules({
  world,
  owner,
  anyone,
  reading,
  project,
  theAuthor,
}: ProjectGiven): Record<string, Rule> {
  const newSnippet = (at: Stage) => ({
    ...project(at),
    title: 'New',
    file_name: 'new.txt',
    code: 'text',
    visibility: 'public',
  });
  /** A public snippet of the project by somebody who has no role. */
  const snippet = async (at: Stage) => {
    const { id } = await createSnippet(world.as(owner), {
      project: at.project.id,
      title: 'Old',
      fileName: 'old.txt',
      content: 'text',
      visibility: 'public',
    });
    const author = await theAuthor();
    await world.db.snippet.update({ where: { id }, data: { authorId: author.id } });
    return { ...project(at), snippet_id: id, title: 'Other' };
  };

  return {
    ...talkRules(world, theAuthor, {
      path: 'snippets/:snippet_id',
      type: 'Snippet',
      reading,
      make: async (at) => {
        const given = await snippet(at);
        return { id: given.snippet_id, given };
      },
    }),
    'GET /projects/:id/snippets': reading,
    'GET /projects/:id/snippets/:snippet_id': { ...anyone, given: snippet },
    'GET /projects/:id/snippets/:snippet_id/raw': { ...anyone, given: snippet },
    'GET /projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw': {
      ...anyone,
      given: async (at) => ({ ...(await snippet(at)), ref: 'main', file_path: 'old.txt' }),
    },
    'POST /projects/:id/snippets': { success: 201, level: 20, given: newSnippet },
    'PUT /projects/:id/snippets/:snippet_id': { success: 200, level: 100, given: snippet },
    'DELETE /projects/:id/snippets/:snippet_id': { success: 200, level: 100, given: snippet },
  };
}
