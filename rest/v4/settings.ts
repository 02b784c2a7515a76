import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const precheck = 'administrate';
const decimals = { polling_interval_multiplier: 'all' } as const;

export const settings: Route[] = [
  {
    method: 'GET',
    path: '/application/settings',
    operation: operations.ApplicationSettingsDocument,
    result: 'applicationSettings',
    precheck,
    decimals,
  },
  {
    method: 'PUT',
    path: '/application/settings',
    operation: operations.UpdateApplicationSettingsDocument,
    result: 'updateApplicationSettings.settings',
    precheck,
    decimals,
    atLeastOne: [
      'default_projects_limit',
      'signup_enabled',
      'signin_enabled',
      'avatar_service_enabled',
      'sign_in_text',
      'home_page_url',
      'default_branch_protection',
      'restricted_visibility_levels',
      'max_attachment_size',
      'session_expire_delay',
      'default_project_visibility',
      'default_snippet_visibility',
      'default_group_visibility',
      'domain_whitelist',
      'domain_blacklist_enabled',
      'domain_blacklist',
      'user_oauth_applications',
      'after_sign_out_path',
      'container_registry_token_expire_delay',
      'repository_storages',
      'repository_storage',
      'enabled_git_access_protocol',
      'codeide_enabled',
      'codeide_url',
      'disabled_oauth_sign_in_sources',
      'diagram_enabled',
      'diagram_url',
      'terminal_max_session_time',
      'polling_interval_multiplier',
      'require_admin_approval_after_user_signup',
      'deactivate_dormant_users_period',
    ],
    passUnknownEnum: ['restricted_visibility_levels'],
    nullWord: { enabled_git_access_protocol: 'nil' },
    // Names used by clients of older servers (rulings.md 1).
    aliases: {
      gravatar_enabled: 'avatar_service_enabled',
      koding_enabled: 'codeide_enabled',
      koding_url: 'codeide_url',
      plantuml_enabled: 'diagram_enabled',
      plantuml_url: 'diagram_url',
    },
  },
];
