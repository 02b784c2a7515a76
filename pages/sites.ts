import { ciFrame } from '#pages/ci.ts';
import { named } from '#pages/engine/asking.ts';
import { type Facts, form, page } from '#pages/engine/row.ts';
import { inPlace } from '#pages/place.ts';
import {
  type PagesAccess,
  SendNewSiteDomainDocument,
  SendSiteAccessDocument,
  SendSiteDeploymentDeletionDocument,
  SendSiteDeploymentRestoreDocument,
  SendSiteDomainDeletionDocument,
  SendSiteDomainVerificationDocument,
  SendSiteSettingsDocument,
  SiteDomainsPageDocument,
  SitePageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

const at = '/:project/-/pages';

/** Who can visit a site, in words. */
const ACCESS: Readonly<Record<PagesAccess, string>> = {
  PUBLIC: label('Everyone'),
  ENABLED: label('Everyone who sees the project'),
  PRIVATE: label('Members of the project'),
  DISABLED: label('Nobody: it is off'),
};

const toSite = (_data: unknown, { given }: Facts) => inPlace(given, 'pages');
const toDomains = (_data: unknown, { given }: Facts) => inPlace(given, 'pages', 'domains');

const site = page({
  path: at,
  operation: SitePageDocument,
  view: 'sites/show',
  found: ({ project }) =>
    project?.pages && project.pagesDeployments
      ? { project, pages: project.pages, deployments: project.pagesDeployments }
      : null,
  title: ({ project }, { t }) => `${t('site|Pages')} · ${project.fullPath}`,
  show: ({ project, pages, deployments }) => ({
    ...ciFrame(project, 'pages'),
    ...{ pages, deployments },
    access: Object.entries(ACCESS),
  }),
  signIn: true,
});

const domains = page({
  path: `${at}/domains`,
  operation: SiteDomainsPageDocument,
  view: 'sites/domains',
  found: ({ project }) => project?.pagesDomains && { project, domains: project.pagesDomains.nodes },
  title: ({ project }, { t }) => `${t('Domains of the site')} · ${project.fullPath}`,
  show: (found) => ({ ...ciFrame(found.project, 'pages'), domains: found.domains }),
  signIn: true,
});

/** The site of a project: where it is, who can visit it, what was published, and its domains. */
export const sites = [
  site,
  form({
    path: `${at}/access`,
    operation: SendSiteAccessDocument,
    says: label('The changes were saved.'),
    goTo: toSite,
    again: site,
  }),
  form({
    path: `${at}/settings`,
    operation: SendSiteSettingsDocument,
    says: label('The changes were saved.'),
    goTo: toSite,
    again: site,
  }),
  form({
    path: `${at}/deployments/delete`,
    operation: SendSiteDeploymentDeletionDocument,
    says: label('The deployment was deleted. It can be restored for a day.'),
    asks: (facts) => ({
      heading: facts.t('Delete this deployment?'),
      says: [facts.t('Its address shows nothing from then on. It can be restored for a day.')],
      button: facts.t('Delete deployment'),
      back: toSite(null, facts),
    }),
    goTo: toSite,
    again: site,
  }),
  form({
    path: `${at}/deployments/restore`,
    operation: SendSiteDeploymentRestoreDocument,
    says: label('The deployment was restored.'),
    goTo: toSite,
    again: site,
  }),
  domains,
  form({
    path: `${at}/domains`,
    operation: SendNewSiteDomainDocument,
    hidden: ['autoSslEnabled'],
    says: label('The domain was added. Prove that it is yours to use it.'),
    goTo: toDomains,
    again: domains,
  }),
  form({
    path: `${at}/domains/verify`,
    operation: SendSiteDomainVerificationDocument,
    says: label('The domain is verified and leads to the site.'),
    goTo: toDomains,
    again: domains,
  }),
  form({
    path: `${at}/domains/delete`,
    operation: SendSiteDomainDeletionDocument,
    says: label('The domain was removed.'),
    asks: (facts) => ({
      heading: facts.t('Remove {name}?', { name: named(facts.given) }),
      says: [facts.t('The domain no longer leads to the site.')],
      button: facts.t('Remove domain'),
      back: toDomains(null, facts),
    }),
    goTo: toDomains,
    again: domains,
  }),
];
