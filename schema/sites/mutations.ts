import { holderField, type InputFields, projectField } from '#schema/inputs.ts';
import { changed, deleted, mutation, type Payload } from '#schema/mutation.ts';
import { idOf } from '#schema/node/plugin.ts';
import { fromProject } from '#schema/places/parents.ts';
import { loaderAt } from '#schema/records/below.ts';
import { Pages, PagesDeployment, PagesDomain } from '#schema/sites/types.ts';
import type { ProjectRow } from '#src/domain/projects/find.ts';
import { projectHolding } from '#src/domain/projects/holding.ts';
import type { ChangedRecord } from '#src/domain/projects/project_scoped.ts';
import { deleteSiteDeployment, restoreSiteDeployment } from '#src/domain/sites/deployments.ts';
import { createDomain, deleteDomain, updateDomain } from '#src/domain/sites/domains.ts';
import { changedDeployment, changedDomain } from '#src/domain/sites/list.ts';
import { siteStates, unpublishSite, updateSite } from '#src/domain/sites/settings.ts';
import { verifyDomain } from '#src/domain/sites/verify.ts';
import { select } from '#src/platform/records/selection.ts';

const pagesPayload: Payload<{ of: ProjectRow }> = {
  description: 'How the site of the project is served after the mutation.',
  fields: (t) => ({
    pages: t.field({
      type: Pages,
      description: 'How the site is served now.',
      resolve: ({ of }, _args, context, info) =>
        loaderAt(context, info, { key: '' }, (projects: readonly ProjectRow[]) => siteStates(context, projects)).load(
          of,
        ),
    }),
  }),
};

const deploymentPayload: Payload<ChangedRecord> = changed(
  'pagesDeployment',
  PagesDeployment,
  'PagesDeployment',
  changedDeployment,
  'deployment of the site',
);

const domainPayload: Payload<ChangedRecord> = changed(
  'pagesDomain',
  PagesDomain,
  'PagesDomain',
  changedDomain,
  'domain of the site',
);

const deployment = (t: InputFields) => ({
  project: holderField(t, 'deployment'),
  id: t.field({ ...idOf('PagesDeployment'), required: true, description: 'Global or numeric ID of the deployment.' }),
});

const domain = (t: InputFields) => ({
  project: projectField(t, 'of the site'),
  domain: t.string({ required: true, description: 'Name of the host, such as `www.example.com`.' }),
});

const autoSslEnabled = (t: InputFields) =>
  t.boolean({
    description:
      'Whether the proxy before the server is told that it may get certificates for the domain; it is at first.',
  });

mutation('updatePages', {
  description: 'Changes how the site of a project is served. For masters.',
  input: {
    description: 'Changes to the site of a project. What is left out stays as it is.',
    argument: 'Names the project, and the changes.',
    fields: (t) => ({
      project: projectField(t, 'of the site'),
      uniqueDomainEnabled: t.boolean({
        description: 'Whether the site has a host of its own, in place of a path at that of its group.',
      }),
      httpsOnly: t.boolean({ description: 'Whether visits over HTTP are redirected to HTTPS.' }),
      primaryDomain: t.string({
        description: 'The verified domain to which all other addresses of the site redirect; null or empty for none.',
      }),
    }),
  },
  resolve: async ({ project, ...changes }, context) => ({ of: await updateSite(context, project, changes) }),
  payload: pagesPayload,
});

mutation('unpublishPages', {
  description: 'Takes the whole site of a project out of use; its deployments can be restored for a day. For masters.',
  input: {
    description: 'Which site to take out of use.',
    argument: 'Names the project of the site.',
    fields: (t) => ({ project: projectField(t, 'of the site') }),
  },
  resolve: async ({ project }, context) => ({ of: await unpublishSite(context, project) }),
  payload: pagesPayload,
});

mutation('deletePagesDeployment', {
  description: 'Takes a deployment of the site of a project out of use; it can be restored for a day. For masters.',
  input: {
    description: 'Which deployment to delete.',
    argument: 'Names the deployment to delete.',
    fields: deployment,
  },
  resolve: async ({ project, id }, context) =>
    deleteSiteDeployment(context, await projectHolding(context, 'PagesDeployment', { id, project }), id),
  payload: deploymentPayload,
});

mutation('restorePagesDeployment', {
  description:
    'Puts a deployment back that was deleted or replaced within a day, in the place of the one with its path prefix. For masters.',
  input: {
    description: 'Which deployment to restore.',
    argument: 'Names the deployment to restore.',
    fields: deployment,
  },
  resolve: async ({ project, id }, context) =>
    restoreSiteDeployment(context, await projectHolding(context, 'PagesDeployment', { id, project }), id),
  payload: deploymentPayload,
});

mutation('createPagesDomain', {
  description: 'Adds a domain to the site of a project, to which it leads once it is verified. For masters.',
  input: {
    description: 'A new domain of the site of a project, which has at most 50.',
    argument: 'Names the project and the domain.',
    fields: (t) => ({ ...domain(t), autoSslEnabled: autoSslEnabled(t) }),
  },
  resolve: ({ project, ...input }, context) => createDomain(context, project, input),
  payload: domainPayload,
});

mutation('updatePagesDomain', {
  description: 'Changes a domain of the site of a project. For masters.',
  input: {
    description: 'Changes to a domain of a site. What is left out stays as it is.',
    argument: 'Names the domain, and the changes.',
    fields: (t) => ({ ...domain(t), autoSslEnabled: autoSslEnabled(t) }),
  },
  resolve: ({ project, domain: name, ...changes }, context) => updateDomain(context, project, name, changes),
  payload: domainPayload,
});

mutation('verifyPagesDomain', {
  description:
    'Looks for the proof of a domain, a TXT record or a file, and lets the domain lead to the site if it is there. For masters.',
  input: { description: 'Which domain to verify.', argument: 'Names the domain to verify.', fields: domain },
  resolve: ({ project, domain: name }, context) => verifyDomain(context, project, name),
  payload: domainPayload,
});

mutation('deletePagesDomain', {
  description: 'Takes a domain from the site of a project. For masters.',
  input: { description: 'Which domain to delete.', argument: 'Names the domain to delete.', fields: domain },
  resolve: async ({ project, domain: name }, context) =>
    deleteDomain(context, project, name, select('PagesDomain', { id: true })),
  payload: { ...deleted('PagesDomain', 'domain'), from: fromProject },
});
