import { type Facts, form } from '#pages/engine/row.ts';
import { inPlace, PLACES, type PlaceKind } from '#pages/place.ts';
import { confirmPage, type Query, settingsPage } from '#pages/settings_frame.ts';
import {
  BranchRulePageDocument,
  GroupVariablePageDocument,
  type GroupVariablePageQuery,
  GroupVariablesPageDocument,
  type GroupVariablesPageQuery,
  NewGroupVariablePageDocument,
  type NewGroupVariablePageQuery,
  NewProjectVariablePageDocument,
  type NewProjectVariablePageQuery,
  PipelineSettingsPageDocument,
  ProjectVariablePageDocument,
  type ProjectVariablePageQuery,
  ProjectVariablesPageDocument,
  type ProjectVariablesPageQuery,
  type ProtectionAccessLevel,
  ProtectionsPageDocument,
  SendBranchProtectionDocument,
  SendBranchUnprotectionDocument,
  SendCodeOwnerApprovalDocument,
  SendForcePushDocument,
  SendNewVariableDocument,
  SendPipelineSettingsDocument,
  SendTagProtectionDocument,
  SendTagUnprotectionDocument,
  SendVariableChangeDocument,
  SendVariableDeletionDocument,
  TagRulePageDocument,
} from '#src/generated/page_operations.ts';
import { label } from '#src/platform/texts/texts.ts';

interface VariablePages {
  list: Query<ProjectVariablesPageQuery | GroupVariablesPageQuery>;
  create: Query<NewProjectVariablePageQuery | NewGroupVariablePageQuery>;
  one: Query<ProjectVariablePageQuery | GroupVariablePageQuery>;
}

const VARIABLES = { project: 'settings/ci_cd/variables', group: 'settings/ci_cd' } as const;

function variablesOf(kind: PlaceKind, { list, create, one }: VariablePages) {
  const at = VARIABLES[kind];
  const common = { kind, section: 'variables' };
  const toList = (_data: unknown, { given }: Facts) => inPlace(given, ...at.split('/'));
  const address = (key: string, scope: string, what: string) =>
    `${at}/${encodeURIComponent(key)}/${what}?scope=${encodeURIComponent(scope)}`;
  const creation = settingsPage({
    ...{ ...common, at: `${at}/new`, operation: create, view: 'variable_new' },
    may: (place) => place.viewerCanManageVariables,
    title: (_place, { t }) => t('New variable'),
    show: () => ({ at, before: { type: 'ENV_VAR' as const, environmentScope: '*' } }),
  });
  const edit = settingsPage({
    ...{ ...common, at: `${at}/:key/edit`, operation: one, view: 'variable_edit' },
    may: (place) => place.viewerCanManageVariables && place.variable,
    title: ({ variable }, { t }) => t('Edit {name}', { name: variable?.key }),
    show: ({ variable }) => ({ at, variable, before: variable }),
  });
  const deletion = confirmPage({
    ...{ ...common, at: `${at}/:key/delete`, operation: one },
    variables: (given) => ({ ...given, full: 'false' }),
    may: (place) => place.viewerCanManageVariables && place.variable,
    ask: ({ variable }, { t }) => ({
      heading: t('Delete {name}?', { name: variable?.key }),
      says: [
        t('Jobs of the environments {scope} no longer get it.', { scope: variable?.environmentScope }),
        t('This cannot be undone.'),
      ],
      button: t('Delete variable'),
      ...{
        action: address(variable?.key ?? '', variable?.environmentScope ?? '', 'delete'),
        back: at,
        isDangerous: true,
      },
      hidden: { scope: variable?.environmentScope },
    }),
  });
  const path = (end: string) => `${PLACES[kind]}/${at}/${end}`;
  return [
    settingsPage({
      ...{ ...common, at, operation: list, view: 'variables' },
      may: (place) => place.viewerCanManageVariables,
      title: (_place, { t }) => t('Variables'),
      show: ({ variables }, { given }) => ({ variables, at, address, shown: given.shown === 'true' }),
    }),
    creation,
    form({
      path: path('new'),
      operation: SendNewVariableDocument,
      says: label('The variable was added.'),
      goTo: toList,
      again: creation,
    }),
    edit,
    form({
      path: path(':key/edit'),
      operation: SendVariableChangeDocument,
      names: { 'filter[environmentScope]': 'scope' },
      says: label('The variable was saved.'),
      goTo: toList,
      again: edit,
    }),
    deletion,
    form({
      path: path(':key/delete'),
      operation: SendVariableDeletionDocument,
      names: { 'filter[environmentScope]': 'scope' },
      says: label('The variable was deleted.'),
      goTo: toList,
      asks: deletion,
    }),
  ];
}

const pipelines = settingsPage({
  ...{ kind: 'project', at: 'settings/ci_cd', section: 'ci_cd' },
  operation: PipelineSettingsPageDocument,
  view: 'pipelines',
  may: (place) => place.viewerCanUpdate,
  title: (_place, { t }) => t('Pipelines'),
  show: (place) => ({ before: place }),
});

/** Who may do something with what is protected. */
const LEVELS: readonly (readonly [ProtectionAccessLevel, string])[] = [
  ['MASTER', label('Maintainers')],
  ['DEVELOPER', label('Developers and maintainers')],
  ['ADMINISTRATOR', label('Administrators of the server')],
  ['NO_ONE', label('Nobody')],
];

const at = 'settings/repository';
const ofRules = { kind: 'project', section: 'repository' } as const;
const toRules = (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'repository');

const rules = settingsPage({
  ...{ ...ofRules, at, operation: ProtectionsPageDocument, view: 'protections' },
  may: (place) => place.viewerCanManageProtectedBranches,
  title: (_place, { t }) => t('Protected branches and tags'),
  show: (place) => ({
    levels: LEVELS,
    branches: place.branchProtectionRules.nodes,
    tags: place.tagProtectionRules.nodes,
    before: { pushAccessLevel: 'master', mergeAccessLevel: 'master', createAccessLevel: 'master' },
  }),
});

const unprotectBranch = confirmPage({
  ...{ ...ofRules, at: `${at}/branches/unprotect`, operation: BranchRulePageDocument },
  may: (place) => place.viewerCanManageProtectedBranches && place.branchProtectionRule,
  ask: ({ branchProtectionRule: rule }, { t }) => ({
    heading: t('Unprotect {name}?', { name: rule?.name }),
    says: [t('Developers can push to matching branches, rewrite and delete them, unless another protection matches.')],
    button: t('Unprotect'),
    ...{ action: `${at}/branches/unprotect?name=${encodeURIComponent(rule?.name ?? '')}`, back: at, isDangerous: true },
    hidden: { name: rule?.name },
  }),
});

const unprotectTag = confirmPage({
  ...{ ...ofRules, at: `${at}/tags/unprotect`, operation: TagRulePageDocument },
  may: (place) => place.viewerCanManageProtectedTags && place.tagProtectionRule,
  ask: ({ tagProtectionRule: rule }, { t }) => ({
    heading: t('Unprotect {name}?', { name: rule?.name }),
    says: [t('Developers can create and delete matching tags, unless another protection matches.')],
    button: t('Unprotect'),
    ...{ action: `${at}/tags/unprotect?name=${encodeURIComponent(rule?.name ?? '')}`, back: at, isDangerous: true },
    hidden: { name: rule?.name },
  }),
});

/** Settings of pipelines, variables, and what is protected. */
export const settingsCi = [
  pipelines,
  form({
    path: `${PLACES.project}/settings/ci_cd`,
    operation: SendPipelineSettingsDocument,
    says: label('The settings are saved.'),
    goTo: (_data: unknown, { given }: Facts) => inPlace(given, 'settings', 'ci_cd'),
    again: pipelines,
  }),
  ...variablesOf('project', {
    list: ProjectVariablesPageDocument as Query<ProjectVariablesPageQuery>,
    create: NewProjectVariablePageDocument,
    one: ProjectVariablePageDocument as Query<ProjectVariablePageQuery>,
  }),
  ...variablesOf('group', {
    list: GroupVariablesPageDocument as Query<GroupVariablesPageQuery>,
    create: NewGroupVariablePageDocument,
    one: GroupVariablePageDocument as Query<GroupVariablePageQuery>,
  }),
  rules,
  form({
    path: `${PLACES.project}/${at}/branches`,
    operation: SendBranchProtectionDocument,
    required: ['pushAccessLevel', 'mergeAccessLevel'],
    says: label('The branch is protected.'),
    goTo: toRules,
    again: rules,
  }),
  form({
    path: `${PLACES.project}/${at}/branches/force_push`,
    operation: SendForcePushDocument,
    required: ['allowForcePush'],
    says: label('The protection was saved.'),
    goTo: toRules,
    again: rules,
  }),
  form({
    path: `${PLACES.project}/${at}/branches/code_owners`,
    operation: SendCodeOwnerApprovalDocument,
    required: ['codeOwnerApprovalRequired'],
    says: label('The protection was saved.'),
    goTo: toRules,
    again: rules,
  }),
  unprotectBranch,
  form({
    path: `${PLACES.project}/${at}/branches/unprotect`,
    operation: SendBranchUnprotectionDocument,
    says: label('The branch is no longer protected.'),
    goTo: toRules,
    asks: unprotectBranch,
  }),
  form({
    path: `${PLACES.project}/${at}/tags`,
    operation: SendTagProtectionDocument,
    names: { name: 'tagName' },
    required: ['createAccessLevel'],
    says: label('The tag is protected.'),
    goTo: toRules,
    again: rules,
  }),
  unprotectTag,
  form({
    path: `${PLACES.project}/${at}/tags/unprotect`,
    operation: SendTagUnprotectionDocument,
    says: label('The tag is no longer protected.'),
    goTo: toRules,
    asks: unprotectTag,
  }),
];
