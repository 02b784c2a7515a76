import { shownFiles } from '#pages/diff.ts';
import { named } from '#pages/engine/asking.ts';
import { path as pathTo } from '#pages/engine/helpers.ts';
import { form, page } from '#pages/engine/row.ts';
import {
  BranchListPageDocument,
  CompareFormPageDocument,
  ComparePageDocument,
  SendBranchRemovalDocument,
  SendNewBranchDocument,
  SendNewTagDocument,
  SendTagRemovalDocument,
  TagListPageDocument,
  TagPageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

/** Commits of a comparison that its page has; the list of the branch has all. */
const MAX_COMMITS = 100;

const branches = page({
  path: '/:project/-/branches',
  operation: BranchListPageDocument,
  view: 'branches/list',
  found: ({ project }) => (project?.repository?.branches ? project : null),
  title: (project, { t }) => `${t('Branches')} · ${project.fullPath}`,
  show: (project) => ({ project, tab: 'code', branches: project.repository?.branches }),
});

const tags = page({
  path: '/:project/-/tags',
  operation: TagListPageDocument,
  view: 'tags/list',
  found: ({ project }) => (project?.repository?.tags ? project : null),
  title: (project, { t }) => `${t('Tags')} · ${project.fullPath}`,
  show: (project) => ({ project, tab: 'code', tags: project.repository?.tags }),
  feed: (project) => `${pathTo(project.fullPath, '-', 'tags')}.atom`,
});

const comparison = (path: string) =>
  page({
    path,
    operation: ComparePageDocument,
    view: 'compare/show',
    found: ({ project }) => (project?.repository?.compare ? project : null),
    title: (project, { given }) => `${given.from}...${given.to} · ${project.fullPath}`,
    listsFiles: true,
    show: (project, facts) => {
      const { given } = facts;
      const compared = project.repository?.compare;
      const commits = [...(compared?.allCommits ?? [])].reverse();
      return {
        ...{ project, tab: 'code', from: String(given.from), to: String(given.to), diff: compared?.fileDiffs },
        files: compared?.fileDiffs ? shownFiles(compared.fileDiffs, facts) : [],
        commits: commits.slice(0, MAX_COMMITS),
        count: commits.length,
        isSame: compared?.sameRef,
        isBranch: project.repository?.branch != null && project.repository.target != null,
      };
    },
  });

export const refs = [
  comparison('/:project/-/compare/*from...*to'),
  // Sent by the form, which is shown again where there is no such ref.
  comparison('/:project/-/compare'),
  page({
    path: '/:project/-/compare',
    operation: CompareFormPageDocument,
    view: 'compare/form',
    found: ({ project }) => (project?.repository?.branches ? project : null),
    title: (project, { t }) => `${t('Compare')} · ${project.fullPath}`,
    show: (project) => ({
      ...{ project, tab: 'code' },
      names: [project.repository?.branches, project.repository?.tags].flatMap((list) => list?.nodes ?? []),
    }),
  }),
  branches,
  form({
    path: '/:project/-/branches',
    operation: SendNewBranchDocument,
    says: label('The branch was created.'),
    goTo: ({ createBranch }, { url }) =>
      `${url.pathname}?search=${encodeURIComponent(createBranch?.branch.name ?? '')}`,
    again: branches,
  }),
  form({
    path: '/:project/-/branches/delete',
    operation: SendBranchRemovalDocument,
    says: label('The branch was deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete the branch {name}?', { name: named(facts.given, 'name') }),
      says: [facts.t('Commits that no other branch or tag has are lost with it.')],
      button: facts.t('Delete branch'),
      back: listAround(null, facts),
    }),
    goTo: listAround,
  }),
  tags,
  page({
    path: '/:project/-/tags/*tag',
    operation: TagPageDocument,
    view: 'tags/show',
    found: ({ project }) => (project?.repository?.tag ? { project, tag: project.repository.tag } : null),
    title: ({ project, tag }, { t }) => `${tag.name} · ${t('Tags')} · ${project.fullPath}`,
    show: ({ project, tag }) => ({ project, tab: 'code', tag }),
  }),
  form({
    path: '/:project/-/tags',
    operation: SendNewTagDocument,
    says: label('The tag was created.'),
    goTo: ({ createTag }, { url }) => `${url.pathname}?search=${encodeURIComponent(createTag?.tag.name ?? '')}`,
    again: tags,
  }),
  form({
    path: '/:project/-/tags/delete',
    operation: SendTagRemovalDocument,
    says: label('The tag was deleted.'),
    asks: (facts) => ({
      heading: facts.t('Delete the tag {name}?', { name: named(facts.given, 'name') }),
      says: [facts.t('Its release is deleted, too. Commits that no branch or other tag has are lost with it.')],
      button: facts.t('Delete tag'),
      back: listAround(null, facts),
    }),
    goTo: listAround,
  }),
];

/** The list to which a form that removes something belongs. */
function listAround(_data: unknown, { url }: { url: URL }): string {
  return url.pathname.replace(/\/delete$/, '');
}
