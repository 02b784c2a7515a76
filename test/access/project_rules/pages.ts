import { createDomain } from '#src/domain/sites/domains.ts';
import type { Rule, Stage } from '../matrix.ts';
import type { ProjectGiven } from './given.ts';

/** Sites: developers see what was published, masters change it and its domains (docs/decisions.md). */
export function pagesRules({ world, owner, project }: ProjectGiven): Record<string, Rule> {
  const domain = async (at: Stage) => {
    await world.db.pagesDomain.deleteMany({ where: { projectId: at.project.id } });
    const name = `${world.unique('www')}.example.com`;
    const { id } = await createDomain(world.as(owner), at.project.id, { domain: name });
    const { verificationCode } = await world.db.pagesDomain.findUniqueOrThrow({ where: { id } });
    Object.assign(world.imports, { resolveTxt: async () => [`gantry-pages-verification-code=${verificationCode}`] });
    return { ...project(at), domain: name };
  };
  const pages = '/projects/:id/pages';
  const domains = `${pages}/domains`;
  return {
    [`GET ${pages}`]: { success: 200, level: 30, given: project },
    [`PATCH ${pages}`]: {
      success: 200,
      level: 40,
      given: (at) => ({ ...project(at), pages_https_only: 'false' }),
    },
    [`DELETE ${pages}`]: { success: 204, level: 40, given: project },
    'GET /projects/:id/pages_access': { success: 200, level: 10, open: 'anyone', given: project },
    [`GET ${domains}`]: { success: 200, level: 40, given: project },
    [`GET ${domains}/:domain`]: { success: 200, level: 40, given: domain },
    [`POST ${domains}`]: {
      success: 201,
      level: 40,
      given: async (at) => ({ id: (await domain(at)).id, domain: `${world.unique('new')}.example.com` }),
    },
    [`PUT ${domains}/:domain`]: {
      success: 200,
      level: 40,
      given: async (at) => ({ ...(await domain(at)), auto_ssl_enabled: 'false' }),
    },
    [`PUT ${domains}/:domain/verify`]: { success: 200, level: 40, given: domain },
    [`DELETE ${domains}/:domain`]: { success: 204, level: 40, given: domain },
  };
}
