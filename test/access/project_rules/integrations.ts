import { requireKind } from '#src/domain/integrations/save.ts';
import { settingsColumns } from '#src/domain/integrations/stored.ts';
import type { Rule, Stage } from '../matrix.ts';
import type { ProjectGiven } from './given.ts';

/** Integrations of a project: those who administer webhooks set them up. */
export function integrationRules({ world, owner, project }: ProjectGiven): Record<string, Rule> {
  /** Nothing is sent: it is told of no events. */
  const integration = async ({ project: { id: projectId } }: Stage) => {
    const properties = { external_wiki_url: 'https://example.org' };
    const data = { projectId, slug: 'external-wiki', properties };
    await world.db.integration.deleteMany({ where: { projectId } });
    await world.db.integration.create({ data });
    return { id: projectId, slug: 'external-wiki' };
  };
  const commands = requireKind('slack-slash-commands');
  const wiki = { slug: 'external-wiki', external_wiki_url: 'https://example.org/wiki' };

  return {
    'GET /projects/:id/integrations': { success: 200, level: 40, given: project },
    'GET /projects/:id/integrations/:slug': { success: 200, level: 40, given: integration },
    'PUT /projects/:id/integrations/:slug': { success: 200, level: 40, given: (at) => ({ ...project(at), ...wiki }) },
    // The token is the credential: whoever has it gets an answer, and nobody else.
    'POST /projects/:id/integrations/:slug/trigger': {
      success: 200,
      level: 0,
      open: 'token',
      given: async ({ project: { id: projectId } }) => {
        const { secretsEncrypted, secretNames } = settingsColumns(commands, { token: 'xyz' }, world.as(owner).secret);
        await world.db.integration.deleteMany({ where: { projectId } });
        const data = { projectId, slug: commands.slug, secretNames, secretsEncrypted };
        await world.db.integration.create({ data });
        return { id: projectId, slug: commands.slug, token: 'xyz', team_id: 'T', user_id: 'U' };
      },
    },
    'DELETE /projects/:id/integrations/:slug': { success: 204, level: 40, given: integration },
  };
}
