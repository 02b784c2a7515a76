import { cpSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrate, readMigrations } from '#src/platform/database/migrate.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { administer, emptyDatabase } from '../support/database.ts';
import { scratch } from '../support/git_program.ts';
import { everyNth, LONG } from '../support/long.ts';

/**
 * SHA-256 of every migration that was ever on the main branch. Servers refuse to work on a database that has another one of
 * the same name: a line here is added with a new migration, and never changed or removed.
 */
const RELEASED: Record<string, string> = {
  '20261121000000_init': '8d2dec53eb79ef4b928c9c72fa5b68114928ee3ea12abfa54c36198877250bb9',
  '20261121160000_people_groups_projects': 'e5d3c8d1c369bbd72467d74ba6719f3051b5644f999ba1e90972bd9ec4e3aae3',
  '20261121180000_repositories': '8705f77b57ceab0bb11784eadc01c7c2929c2f0babb12a486078f18fa9f5970c',
  '20261121190949_sessions': '252a3adce7b2c16a9a7e73874d543ee011ae5b1da9d3f5d081247bb8834a2e67',
  '20261121191536_imports': '48cd2c7aac156ec26e751abeb1933a769c2695312720cd2774da1dcbfb064cfb',
  '20261121192505_oauth': 'f4365fdd407da85126d7fc258103e1681ef864d464c3c4c83356540631d81f04',
  '20261121193101_snippets_and_variables': '8a43e8ab8a55bf20c83055c776008d5a40d6dde47c59c309342d4ea8cd04eda3',
  '20261121193536_pipelines': '81e532de63719e8a5c843d3d09c09c3c7926195d36f640e5f9a8cf88c91607da',
  '20261121194155_job_metrics': '7fa044f25399f355de891d6172bee4b1e7fa9b640ccb3cbd0c20379ede8199ad',
  '20261121194500_contributor_counts': 'c7c889d16e2f8897a1547b735ac1e472c21038ec1768744832e19e81b1911560',
  '20261121194848_uploads': 'e233b20316bf6189fb4a8612598660ab8f41a22e552b4b066219b0c72e1ebeb9',
  '20261121200500_accounts': 'd9faa386f930d5551ebefdaa998b59e250e14cc352535ca69376047886fdad19',
  '20261122060000_secret_check': '845c824de8b2a8271a626310d49fe67676ba6a989284fd05cbb3babbba369c6b',
  '20261122062000_event_counts': '0f44d195eea821bea6bfa93af2751d6d33de96b705db853f63fd015d30fd3faa',
  '20261122062010_events_of_target': '12b5fb399f822be6d94e3f0d0c33077ee63463e7df0df4dee1a9035ec018acc9',
  '20261122062011_confidential_of_author': '3221d40346727a83f408bb833a87e2d815dc4d8685d22e44ea86002ac79ab738',
  '20261122062012_confidential_of_assignee': 'fb055394d425d468fd0a058bee6037fb5a03bcba755b620ad7307aedfe8abe96',
  '20261122062013_issues_of_author_by_change': 'fada7ea658ef9261b3092d77ea9ff4bf0a96188d2a111a0c6ccf8599f3f69004',
  '20261122062014_public_snippets': 'd44649270a33ec126d04d1d878b2ba4c74980dd0e7fc87d496056f5cd820b52d',
  '20261122062015_live_issues_by_creation': '2aaa440b1f9a3d3e42b82e37a417bcb81f3bda43f62c60fe6d4ec490474cfb03',
  '20261122062016_live_issues_by_change': '0dac1b4da47f74b5509fc7c6c8d3f673ec4f48b4b35e01219c1c00f758f01d20',
  '20261122062020_drop_issue_orders': 'b214b236ba7916481cb62e85f36f976f918f9252262dbe10241d77a152f64845',
  '20261122064000_hold_issues_of_old_events': 'abf65f2f2f95a86658fa7adaf38f55e4c6d2d86245b36e380b06382e60cf29d9',
  '20261122170000_issues_of_assignee_by_creation': '66c4b347e875cc8174db40b0571fb989bd4a70fa271179476a3dd3f8b6a8cd9f',
  '20261122170001_issues_of_assignee_by_change': '61376d172535e742d6a81ff02c58456f481bca5204da77b74417c5668c8efda8',
  '20261122170002_drop_issues_of_assignee': 'e2928dcd252e5793217087f23687490fa6359e13ed3e641ac9cd75faf07cf2be',
  '20261122170003_milestones_by_title': '336d81a0554ce173ffe8801e3c3b7c58b3cc9d5f6a571a56f689d0432fe2f445',
  '20261122170004_milestones_by_description': 'd33c6844acccaa5dbf03d4c512997820278605d47e7864726269e21cc06817da',
  '20261122180000_tell_changes': '09178ce7f7f25121c34089eb880f103776e344710eb3bbb9a19c3f27da61a04b',
  '20261122203500_avatars': '574e94a184e072482aaabd1d7cf64383672c27df9d67986f8bb8dffcc0a012de',
  '20261123020000_merge_request_events': 'ea2d15d743e82d053b85e1a709a2a173042ec267b1ef3fb4f447f4c1e66e7aec',
  '20261123020001_events_of_merge_requests': '646a1cb713c1aa317de58b52afe54c6a55a50ff0aeee8d454124a525fb5b70c2',
  '20261123020002_events_of_subject': '19f7ad383e1badc783fd7b37bc0272adfda53fba744888b96a4289cae0aa0d04',
  '20261123021000_sources_of_notes': '64267a313f52673e3df1244be38e0b7bc55de037501b55bf5bad0df51c76cce3',
  '20261123021001_mentions_once': 'b54a9cc9e45899f7b6d4035c390e3cd860dfff7ce7e3946ec8747bd83ce5d4d6',
  '20261123022000_merge_requests': 'b2cd118f51eed4d915a984bf02f3d57c6d81a7615d886b400ee06bb1dc2fd583',
  '20261123022001_tell_merge_requests': '90262bf48b78ca831e81f64731d61340e03799977d984b3821c1cf9e9be95091',
  '20261123023000_time_tracking': '92503157be5313c86ddcc9436f805f6959f8e9b7b92e48b18d6942c83825933e',
  '20261123023010_boards': '90b7b0f8163bbdc6488e675f8512fc12f744aff3ab7ef4583f6b47f0f9401c2d',
  '20261123023020_notification_settings': '309c817410c10c897a9f086d51a15bf73ad246682010c4ed6f086b0b5e5bec58',
  '20261123023030_todos': '21c18eac3a6a8ae1e6934e3896047cc3f6e4d80894f759efd50e8a37ffbda8dc',
  '20261123024000_merging': '2ff5cc1dca1d6acbee6beaf3281f0ae3ebaf4b5e1cf669d8b7ff3a91d42ea010',
  '20261123025000_discussions': 'baac04b83f4beb8826f9d85f8eef7210a52672853400876852641c2406c1609a',
  '20261123025001_notes_of_discussion': 'dc364ba84511ec231e353e5f933a98bb01badb95efe45dad246b8124fe691091',
  '20261123026000_mail_deliveries': '55c4f2688a0e67eb57f8597aa924aeb3d6a5a110cf377bf4c37791e364f85877',
  '20261124010000_deploy_keys': 'b79848a0d6267453400d3e5fd536a6d8f4b0582757b3f6506816a1b89b4609b4',
  '20261124020000_webhooks': '5216bd9b8e10664088c2cce2ee9b80660f8d0493890c34020265dac5d15b2973',
  '20261124030000_runners': '6df2836de819ddfd9162f56ecbd5db3b16fca88c6e300335f380eaacad6439b8',
  '20261124040000_job_files': '4e6cb4303a936faa5727d28e82cdc4812955ef33598c6ceb35f3d4e48d7cb527',
  '20261124050000_hook_runners': '8bbb4595714160ef862307a3ea5df88e6a23265a2c4f169bd45b6cc38c8e9e7f',
  '20261126010004_lower_texts': '4eab795c3440ebaf02a2772e19146db09077611224681612ef19530420f1117c',
  '20261126010104_projects_by_topic': 'e184f96d9445e200fe01d3828e508eb4f87bb2ccfb38ea3277a7d27deb19aeec',
  '20261126010204_merge_requests_by_source': '53fa08cbf05ed35b6ed7ebce3af8573e6412028db39ca1d70bf451df53624805',
  '20261126013006_switches_of_what_is_not_there': 'ba28bdd152cb6767d923710e9aca17f21b45867112c57ebcbf63f764b1f540ab',
  '20261126060004_resource_events': '00f7a2148346634b755633fac3c0e18136d96fc876abc955778be084832c0c72',
  '20261126070001_merge_request_record': 'e3f11a4afece7b5e570d0a60f8deffab9e0bf6cb856e1c54580d4f7248002274',
  '20261126070002_assignees': '9a90e85be054ed5b7e05760e5e5d079d14791a3e6a7854552ff0488db92f6d3e',
  '20261126070003_threads': '23da2eecd05c095543f7c8636db96b43048a6b01c7a71859389358e2a8abfaf2',
  '20261126070004_group_labels': '2f17ed2aee823129b0e82972ea05d6e67069c7a6c8bd5c2c13488c48b675585b',
  '20261126070011_merge_request_times': 'e36a39ef953f6aa1a07091ca03e95c3d8eb1d6c8c5096b4e231c9a28b55d5eb2',
  '20261126070012_assignees_of_old_records': 'af6b0b8039ef74400ba8f90bc05dbbbae2cf0234a5ff83e327df5efe705baef8',
  '20261126070013_answers_on_commits': 'dc57d3333b5a62c8ab371f0d9e2fef4df5c9a311b3edad8b4a21363bc12c6d48',
  '20261126070021_merge_requests_by_closer': '4c4049f54e58910935597041e427b927807e352f65042c5c25ae194f41cd7c20',
  '20261126070022_reviewers': 'ef159840f7f52e87ce920922c49c472db580f7c3503ebdddcc50ae27de072813',
  '20261126070023_notes_by_creation': '88da910c85ce5563a84baf941a092d8275812f98b5a1d3ba34d5fd81c5f12092',
  '20261126070031_merge_requests_of_author_by_creation':
    '731ce20a2bfeed2f6a6d13c4cae8961cf2385326bbdfd79e8e14f86a2fa675e8',
  '20261126070032_review_requested': '9631d5033e16630d210abea45b4a45f29e27601433dd7536b8739df3aac440a9',
  '20261126070033_notes_by_change': 'd1403d36650920467496065a1b6503ba11d360bdf36a411e72dfe263219156e8',
  '20261126070041_merge_requests_of_author_by_change':
    '13501b71eb794362da3ce2481b9328ad3535db079c193cf8bcb4ffd44cb1e569',
  '20261126070051_merge_requests_by_title': '74e2fddb8c61d84202c939faa2ec4d930028d416c38dece66ff66eba0f1c9f7c',
  '20261126070061_merge_requests_by_merge': 'eece75212e238197f83f862816435e14cb673d6073de8e43ea91a6566a1ec24e',
  '20261126070071_merge_requests_with_title': 'cbd65c9f7b0c692483b037970e56f57252eb9223ba65857479c385ff6dff409d',
  '20261126070081_merge_requests_with_description': '9f45313842409ceb89709308afe8136d06be40421f0de7c346ce2e99495c41fd',
  '20261126070091_merge_requests_by_merge_commit': '022794618af61e72a7285133cb7f42cb36314ef0a914a615986f6bbdd30fdc2a',
  '20261126070101_merge_requests_by_squash_commit': '09b28853aada69609bca94de6c9387d4a64638a1c7c32313167bd585419f8212',
  '20261126070111_versions_without_commits': 'b62e7568c38415654fb480f0f47181866dd2d49928908710718e8cfa5f38c7c0',
  '20261126080004_group_milestones': '421916c9badc8a3c63d881d88e41c6a937dd31c82d398ca17ef946f810b61935',
  '20261126090004_several_boards': 'ab64de19e5ac9735186c65b7091ad955da94d860c9f66e7dd98b5ab3bea8b86e',
  '20261126110001_draft_notes': '8deb58db780cd52f9cb053971c6d5fa8986bfad6eba3dc5ec0e0753ffaa0f40e',
  '20261126110002_issue_links': '5883ba434ac1997231b366129dd08d23f2762bd9bbc486cb3ee4ebba63fa0189',
  '20261126110011_review_submitted': 'fc780430ddcffe5cdd0bd524bce3c4b3371313a04c5c7b2ac6eff167fbbd3719',
  '20261126110021_suggestions': 'd66390e82cb51d5bdf44e5c7eaac75b9a70ea6356e06fa0ad2b2c07b54b52255',
  '20261126110102_notes_by_source': '647369b292bc092bbad9e28b36ce7d674f3f282fa2510531f5a69c5b0511f62a',
  '20261126120004_shared_branches_and_locked_issues':
    'db15a11e97f76e56d315b78a0716d07e2968b834f41205a1ec9e170d777c889d',
  '20261126120014_pipelines_of_merge_requests': '5d2aed9b235e645da22f144f7b13d8d53273a66e97e8ca712bb659575db916a1',
  '20261126120003_live_issues_by_title': '0590904de0117a2b80736261962201c9292ea08b67d70f4bc58b06a966c11f5d',
  '20261126120013_live_issues_by_due_date': 'd344c171b30105962c15c6117c3400544abccc4feb32dc1cbdff160cd4b8fdcf',
  '20261126120023_live_issues_by_due_date_downwards':
    '1354849b1ba431453799e3a6856943b84c1550f4415cffa291ea67728b812f1e',
  '20261126120033_merge_requests_by_merge_downwards':
    'c83bdd41dad4c99ed1e756b7c5d7703bd5119376673f1a60aed670a9abe92500',
  '20261126120043_deployments_by_commit': 'bf2a790caa49d5911e77b85349dd2e0772ae219b0dcf42d08d76bc67834beca3',
  '20261126120053_labels_with_priority': 'ae3fdf946d88f8580ff9fe4dbfb3f5b045d7d76cbad4c091d74a5a2859d0023b',
  '20261126120011_notes_with_body': '596714a83cde2b73ac9abc4f9daf716f2a04959064441fe4c1d7f935a0157c30',
  '20261126120021_snippets_with_title': '5796b8ecb497c48c21e9e24cd5369922283a76ee88d912893f5a39ea7b806e0d',
  '20261126130006_past_resource_events': 'a2c0b06e0199b5e37014b50f384cfe7bd894ae5192403b2bb758eae0d362e35e',
  '20261126140001_bots': 'bd3a64b2ba5215722191f60c4667d60e87db1f83b7f55ca51320f83e7147756e',
  '20261126140011_patch_ids': 'bff3c2b478ad5eb262ca927ea078c0434585df6c961155f6e8baeac6637f7620',
  '20261126140021_archived_labels': '66f0d38e5110004ef6a5ca975660189d7bb0980d60e5d981dafedc864b832d78',
  '20261126140031_time_summaries': 'fe4fffb0c94a7d1db1aa37ee5cc5170735db4f0245af7a6b5e866e5c3796d794',
  '20261126140041_last_changes': 'a3c03084fa4fa72f321170af79cc30a4ef91dc3185d44c2e94d1d8bbfe6a6e60',
  '20261126140051_releases_by_creation': '38c87a9adf74a1f8ecb07988d8105fde51d8c7a96e500661980b3c8cb553332c',
  '20261127062751_releases': '4635926716b4d351a5ae06f623e0390097070a24d10d836904a88a72516607d2',
  '20261127062752_releases_by_release': '4b7a88ac35369f64d1339df8a9b106c29189c14f6084e7b4ce909dfd236eb90f',
  '20261127062753_releases_of_author': '05f965b7d79668fb7698253f88d8794d1d6bd107b0c5ee67fc86c16b6e949a5c',
  '20261127070500_packages': '95abf2d327d0ff533f25ccecdf7b15e6c85ddaacbbd2ee064cdd566f5b81862c',
  '20261127092614_pipeline_sources': 'fabe07dd0c012ea263b4d094afa06fa794d43e66815204f139ffed8d06ae47ff',
  '20261127092624_pipeline_schedules': '6079866931ed5009294301a98d44a3571910eb46d240f7df2b5ad2131cbe1b5a',
  '20261127092634_pipelines_of_schedule': '812a96ee114c0488f95bc342ba5df55263f99da70a9f819ef141a10091b718a0',
  '20261127092644_due_schedules': '60abc918250181e19aec2afc83e609ffbe1b4017fd81a986651d508191933ea7',
  '20261127094823_stopping_environments': '3340d3c1768f17740149c1252a076ed261e24ad7d6732b001b87c64943bd6d33',
  '20261127094833_environments_of_today': 'aae762684847f5c736d24244e1ba256b4e3f93d39bd9f0ef36140cf3ef2cb142',
  '20261127094840_deployments_by_creation': '1ed3638ce3471a44d1f9fd5933837651ba5f32b1e29f070dcce88be29b33968f',
  '20261127094841_deployments_by_change': '7c319fe6b776c0193f2d4d66952f485c096f8c68612be186ffa37ede24a11286',
  '20261127094842_deployments_by_end': '2b69a5863e2a0cacd8a92465225dadaf90a285c86cd0e6871fa24e5f2b642920',
  '20261127094843_deployments_by_ref': '8bee67a79113cfa4a81fb319982b20c07e7caef3301ce2528fcd10167d25c14f',
  '20261127094845_due_environments': '38720f412e03fefe90199cace94eaad623ef792636b05acaffd121638590d819',
  '20261127092648_job_reports': '5be95e81d75dc6fabf0bc990bf57a3cd50f097bb54330c13ead7ce3c300e7a6e',
  '20261127095317_dotenv_variables': '0cf7a080c4ce1b50481fff2cff8affed7019f8da1c73cd51ca5b01c4d3fac5c7',
  '20261127101111_downstream_pipelines': '0fbf3f7a50cca6b88366bb52b2d53db389875c07f9d4b7092676fbee4ecd9f10',
  '20261127101112_pipelines_of_jobs': '3e83ff024432c453c759cab6312c01d4afae41d00ee4ac5fc5e282f5606ecacf',
  '20261127101000_wikis': 'bc5b090cb720c34f87de13a352a7db22aa3b87654ece2e8661d95913315ca21f',
  '20261127102647_waiting_jobs': '03c9a2592295e317de0dd09cb271523cd0be007f0a0c200c9cb1ee64374af145',
  '20261127102657_resource_groups': '9c95150fff17f8dc5586a4272aee9f162d9c9c0f298e00e2359feafd4cc9d407',
  '20261127102707_jobs_of_resource_group': 'ee7c310a765d43efa2d2906db7104a2b5df346c7ec9a8342a1cb231ebb5e88a7',
  '20261127100548_running_jobs_of_runners': 'c341aa60b0fed9ae3a6fe14ad7c36c07ccc9753befed3d9a833493c28fe5c9a1',
  '20261127100549_running_jobs_of_managers': '696b6e4f41a1cd4a1a26e09564de7bd83ccccfc6f5e914d0c27751d13cf4ac85',
  '20261127100547_group_runner_tokens': 'a4e607f4b7ee1c4bc0d91b1b85c32e179ccde72deb1cfc3765471c4fb8f20315',
  '20261127100546_jobs_of_managers': '4760daa3805271252c5f246fff1c82e381bad081f508f76acf75f4b957ab00f2',
  '20261127100545_canceling_jobs': '08029bb9b397ca6adac56141b6bd3a0ffe7c9bfa487d93d9cdb1bd38cb881837',
  '20261127100544_runners_of_today': '04aef43fcd5ea8455feea798451f7e94fc1e8815b4a9c3c289d04bad689d3e4c',
  '20261127102500_lfs': 'ff71164c248479fd8887464c2ffba9471e0da254de49c4677ec651fa0085e073',
  '20261127105000_remote_mirrors': '1f91cbeb6c3172a8a8ce4a8eb3089512489001ce4c7d8e2c93d793b5df236c6a',
  '20261127064314_protection_levels': '0d2ad387da5762e88832fcabdc431b425a8fc17d9476869fc267fb8fd4aaaef9',
  '20261127030001_issue_positions': '561dfb03d8263fb55162a5cafccf5f2aa86d467857d6de12619f016fc62f9e2c',
  '20261127030011_live_issues_by_position': 'cfac928959cba59efd390e2d8d4bb9ff72e51cd7f02a330de1bd3488221ad526',
  '20261127060001_scheduled_jobs': 'c1977fbfc055ea5e951d8a2edac6531a85902771fdec7945b5e30ef8539d345e',
  '20261127060011_needs_of_jobs': '237c53b6c509ad8fe0d602feeeefee6e41ad2139c0a6b4ef8bae5f976e5d7aef',
  '20261127060021_due_jobs': '112659d391e2265248e30cbe400713497d77aeb85232146dd63dedc2333f2c48',
  '20261127060031_pipeline_numbers': 'eaa398a8b4bb573591f13f250429f608764bb7ffecd6cd625cc57f9a7b3c1f1e',
  '20261127060041_variables_of_today': 'd9112e2f977e7b1b04a1b4265743ce3c8e1b6fd4f783cf8de1527b13ab9af31f',
  '20261127060051_project_variable_scopes': '9bc091ea84e9559705fa15c5797e1a0a3f440e01b5a83ba5dcff4388e3c4ed13',
  '20261127060052_group_variable_scopes': '70366be93fbcffef49626f21a71fdc6d67a50f5ea1fdadf2a1191e6ab57d08d7',
  '20261127060053_server_variable_keys': 'bab3513e5021400cc7859b3d091906da49e0e93edf001fa339e1cfa843260800',
  '20261127060054_group_variables': '974ee0702b68be3e5131deb984d6cb30927935102b5a8ef4f3fcb6a272349977',
  '20261127060055_one_scope_no_more': 'd17cf528ff7672caa5e7fa729a49ec733981973c8ac84f3abbb34b534e253f1d',
  '20261127130000_schedule_inputs': '7338223856bfc1ef1522c1507d0e930b6e2a62ff7d4405780c0e3db0ce462f61',
  '20261127130100_resource_group_records': '5a2ad1bb451572c245973b10361d844a78c2944ca02244d2212d4693d45d8360',
  '20261127130101_fill_resource_groups': 'f96abecf04b5df59e2172a912c0a055481f9d3e729b4f2a473aa4452b172f9b4',
  '20261127130500_rotated_tokens': '714a2008f42e4e6d343af6cbf14eacbb3477f17882c9bb96898fe745f16ec0b3',
  '20261127130501_tokens_of_family': 'f74c1db7b01d721d1ff12c5676e03ab67c08dc21abf8d811c4872820671334d7',
  '20261127130502_tokens_by_name': '244d87dba1d8752951bc7f8efd6b6b67da57ddd58c209ec990f3e466e93ffc65',
  '20261127130503_tokens_by_expiry': '20358ffd56344e0e11c1f06a383a7a1905b9471832f80bf5256094122c9d47e9',
  '20261127130504_tokens_by_use': '6d82ad49dbfea729a2a787b7e10349a2a6da8a8ace300e7f5232431544fb0bc9',
  '20261127130718_container_registry': 'a125d21b80cb18200d0cda0b8cc9b79d89574309410f50800a68fdf395cd368d',
  '20261127133500_access_tokens_of_bots': 'a8f650d0ca83c2afe76d80002f3e695ee55d457572b180c798e8cc3dc1b000ae',
  '20261127133501_access_tokens_of_project': '99736865338f41d5664407c0b0e7e9bcb6b56ac9f1864e1cf238be3b1eb60492',
  '20261127133502_access_tokens_of_group': '366fa9bad24d2152ccd225a6c8d33496e6258a3fbe06405e4ce6d2a2906daa8a',
  '20261127134045_pull_mirrors': 'd1ff30b4568df2af53b5bb5f8c64d42b1c505a84f4e0a5facc7b50535f02f51d',
  '20261127135905_deploy_tokens': 'bae775a72a098795dbb3f9affffbdd8c67008bb6ca9d6426fa6c015ff0e0e9b9',
  '20261127141127_group_shares': 'b2af4972d47f438d166613a38f4298f1552229ca5c11a933c185c08c8522e98a',
  '20261127141128_members_by_giver': '52982bf88fcc946acc300b5ad180ba5a46149c553aa3a2f6e5d7165e5cb4f869',
  '20261127141213_states_and_preferences_of_users': 'dbbac961296f048a2c42bade4dc7d1dcced3700749d0718885b200a24f8d4512',
  '20261127141214_users_by_public_email': '331a83c0e83f251e2450dfd36bd1843e0a7d4222c0a9abebd781678b4458a7f5',
  '20261127141500_project_avatars': 'f3c1bc9f25ab87abad18eded4869fb45a1edadd9cd55e6372ba911f98fb60fa5',
  '20261127141501_stars_by_time': '0bba08b5f2c8ff596c6ddc9a29791168faa210440670901e28a9785e39b95628',
  '20261127141626_job_token_scope': '1900473aea27ddc3ea8918b2dbd284017b93452210db8b827ddcd366154e51e8',
  '20261127143000_language_counts': 'a30bf6978099dee03b261a2cff7c39c2aeb02c91f9d9c9807071c05a4068a470',
  '20261127143500_tokens_by_part_of_name': 'bcdf8e636b89d3474b34d5a5c3291bc9168582b48941eff84ee2798199e1dbdf',
  '20261127143518_group_rights': '983a32f221fff5ac46a8522b4df51980d8f69e6a0cc061350ad4c1987a6d573b',
  '20261127144000_topics': '0f7b56c69f3c0e8a251b7d4396176dbcb74aa143cf8f29d6cbaae9e67650ad9f',
  '20261127144211_device_codes': '043dfd6a84240ac89427876ece12a6bbfb8c7660a34c45cda790afd751cf9438',
  '20261127144500_namespaces_with_full_path': 'c7cd497067469c5f95114b0ab1134ca2d2bb299926aa3f88498e194cee3bba7d',
  '20261127145000_badges': '92c0c77b531ad5be93623c9e0f1f4ce2ae34a0f272df3ed9296126ec2c3d1ba4',
  '20261127145500_uploads_of_project': '8aa184ee9af6a8a21b1d6f49614aae661ff47befd72d372d5ebea096d4e42ba3',
  '20261127162914_invitations': 'f47ea2d26fd4826981ec9cc65b20192b44c2f37e309dfa195329cc75f3833132',
  '20261127163250_sign_in_providers': 'a44e7ea9379407154dba56226e1539abf758175502f550bb27d0dc53a6924817',
  '20261127163318_users_settings_and_throttles': '127e30cfbdaee6bab7e66898b8af5cbd8ba8aad7fd2e719d5a108f3cb7a84fae',
  '20261127163319_users_by_creator': 'fed18660e42f9db75511ec56a0fbf1c530fe95088baab51987e2aabfeac6ad2c',
  '20261127163320_users_by_name': '9e4ef25d0821675ab21d57cb34d35413867d06560d88174ef9dbf45a096101fa',
  '20261127163321_users_by_username': '3949ee719f9b043c79da9ec5d71f49efb490746919b4b22d169e7250b37fcfa2',
  '20261127163322_users_by_created_at': 'de57a9937d9a2a841687e8f05e561c820eac59f271e78a04ea5f73eedb9ad2ea',
  '20261127163323_users_by_updated_at': '93a5802130ceba3c40e259d73feb067177e87272277fc71631dc7d3c85a8435c',
  '20261127163403_project_archives': 'ca240a4e72bb4f4354e63252e7966be51881212ffa3a9848c3cdf0ce51243a9a',
  '20261127164936_ssh_key_usage': '3a7361d115de4c10ef359e51544449d0ee32830bc5623f8bb16aec0548ec7f29',
  '20261127164937_deploy_keys_by_md5': 'de684a089a768fbc0abaf9bcc58c2cf14ba25874fab2f7fa34c81de4b295e8e7',
  '20261127164938_ssh_keys_by_md5': 'eb71d48a1607b42d1736ace190adf960ca23226b25565730e52e6b8f634b05fa',
  '20261127170000_merge_settings': '87c8f8843dbaffbeb096d1ed1d456ff6e2bce2a1ba758969d28d7e57e18af721',
  '20261127170216_gpg_keys': '03b6e3a8c9eefec4fe286c67acf58ca67f20d589e3169934b36441d98dc67474',
  '20261127170258_passkeys': '507fdf9db841d84d94787b6bc95e5320924855d2f641e2b7ff8c5bd2c27db537',
  '20261127174500_user_follows': 'afaae1f3e1f9029ca68923552debe36d6ee6214507ab397027fd8e0993046ede',
  '20261127180000_merge_requests_with_target': 'c4d6d0a9158f56486e83f54ca1377ed503e30dc8bd4b9968eb24015da495ea41',
  '20261127180500_pushes_by_job_tokens': '86cff6bf7010cd9f6875a3361f34a31d0543fd90f0befb3fee0869f193814b28',
  '20261127181000_events_of_author_in_project': '39144e1d0a42f58d7ff52a722c68c552df4d57983fa2a1057fe2a0545aaa28d6',
  '20261127195000_self_registered_applications': 'a11bd557a68570790ece1ce40329ed2f96b2a1f1a1838d634ad18cc9c0ec262e',
  '20261127195300_pipelines_by_creation': '97795ac308a9e702fa70d59b4e1393cd91d51865f735f08fb56affcab9faaf49',
  '20261127203510_audit_events': '6b0ccea4e95e1578b02ec2d6452ae8f21998fdba08849940a3eebad5aa364538',
  '20261127213000_root_files': 'e9f156aea88872225d959c619b4abfbe45739f7ee8780957911389eaabee3ae4',
  '20261127232348_languages_and_time_zones': 'd11d7f5f54c813390a720cf6ea2a57e28bc4abe042a2a2ed83896f155f57815c',
  '20261127232544_own_pages': 'dfe9a0f56f06ce69c50c2cd019fb543cd9b76d74ac640929d86fd8bd4a32c88a',
  '20261127233003_features_for_members': 'de448775743ceb0e2bd5c04b7a7e746eed20d766cda8a8c4a27c0a98137a0ee8',
  '20261128000919_uploads_of_exports': 'db6e890697c1c40f64ee554110a3acfab3dbc217ea6969ad147f78faf47b5c95',
  '20261129123500_kept_settings': '7eca4b2aefd5c6ab1587187b7b9e52b4664642abab35c2f50aed3c5417e0405a',
  '20261129123500_tell_more_changes': '9485eb3af355df2d013d746d8cc1032ab7de902cb3e782889e089fc9e8a09b4d',
  '20261129125000_deprecated_uses': 'ac9da923bbf3a44b494664392dfafd5f8b67e3d5a79bbc735442f5d4e62d8f13',
  '20261129134408_domain_growth': 'f2eb750dd9e354c32197f8c9e12f1acfe410bd558c1fcf4d06e24cf23f2e0c59',
  '20261129134410_pipelines_by_number': '864add0ed141af4410ec9a06304679614f6e0b2778654eeb18727289483240d3',
  '20261129155340_publishers': 'a496270f49ea152109e240ab3ec17f050dd9abc967361cee4d01a5bbd5fe5893',
  '20261129160000_public_deploy_keys': '771fde8661bbf31163d301ad307242752a260a9c272782331bb89ce3fbfc8273',
  '20261129160100_project_fetches': '664ae3fe6f912c0463bc6bdd23bb866884a9891c4ac5e52fc35a17dcc402d04d',
  '20261129000500_makers_of_deploy_tokens': '9c79758eddb8f84168101fda6f34cb9f3cf3451e755e5110af931ab1855ee5b7',
  '20261129001200_anonymous_api_reads': '640b4d6a4480909f5063e5901f5d84e20cc572b5abe6f78aba0888720628547a',
  '20261129001500_lfs_of_merged': 'f65c10e75971096c7a4aee5a9c94b9b0df2aa23faac45236cfeb29a68b629a44',
  '20261129085329_mail_threads': '1134f42b362852d9419f4470d95aa0468f57ca7a9a1181f7d620c47c057fe510',
  '20261129095500_makers_by_audit': 'dcccdc4f8e0135358aefb259af7b00bb1e5db2e7841306848c75c9205cffeb68',
  '20261129103500_narrower_hooks': 'c68b2a9f104b9ff0ada028c5e9137a85b3f5e7c8a78b48b0520929a0a942f0a6',
  '20261129124501_front_page': '53dbd2481faa974fae6f54e069dd1a4e3e227dd5d72b245b88ba71159f371c6a',
  '20261129170000_notes_of_events': '3c0e30b4bdc9fa3943a4fcbca89e132cd5902eda1ffd3520f00cf2ca5bc4987c',
  '20261129175000_push_rules': '66bc4f97afd8555dcda4a4b288bfe10860fbdb28a6e6a8baba183ca8095c0e44',
  '20261129174000_feature_flags': '24ca17613064fb28ec0826003e166884254220b8ef9dfd2975046f24e14f1d8d',
  '20261129174001_feature_flag_changes': '81902c22ad503c1a36aa825e8f6665caea477f3806e29d48f5a77e5029381cdf',
  '20261129173000_package_registries': 'd38a2d0570fe3b5774635904b9e80d95221af324c676433bacdb00f53c404d52',
  '20261130052500_wikis_of_groups': 'c25b94fd6cec744b25d8c24c440d9699738a89f01176bc4f3a035a7f61c2ccb6',
  '20261130052000_repositories_of_snippets': 'c2ddc88ed3d04699af5bd0d41caac144cad0b0789d19ace88144a460ce9f61e2',
  '20261130003000_container_rules': 'c014492c11c93522b9642551a25c2cb698d72d49cd4bb781ba540df7deaae84b',
  '20261130001000_approval_rules': '64ac5bf2d057bded72f755bc724181a4afc251c86e02e44d59f157d253c56114',
  '20261130002010_integrations': '91996adbd0ea8bb6024f6b6a8e7dd6c06b6c5ed9649b34c558f66d7681963e2e',
  '20261130002020_chat_connections': '274fbe688f0d7bebbf8cf91637124a40bb39c12b0999d2e98402339cd3f711c1',
  '20261130050100_due_reminders': '83e4a5bb707cfd7c90adc249f3e0391d5bea06ee991ead574bacc31bbd8ae2b0',
  '20261130050110_issues_by_due_day': 'c4f77a7e3d84de6578ffe66c66c2b91850d5a5ba17bad0dd5f12c1c56e33f8b9',
  '20261130050200_description_templates': 'fd5f1c9a09dca8f746a35bfef18154baa3bb09bdbc9d7ac1835631744d1152b8',
  '20261130050300_issue_imports': '2c180fe8241450c474c04caa0e83e5b4429a6a8da1a17be49c3a8760954c85c5',
  '20261130051000_pages_sites': '4b812dd4fd4007af0e507d145ff2d571af529b968d126f3bf3f29ae27906f976',
  '20261130053010_custom_attributes': '9b4cede40e124629085d3ea92f89aa1f446e9d00d051a0ceefaf7c7bb4c7f11f',
  '20261130053020_appearance': '0931f4d328da8655c3bcdc3e66d3d749fa662daf88434b33028777cb4ca10914',
  '20261130053030_size_of_uploads': '9a896a91c7140cb094dc40795bffff1be8412959ff98b657171b36c6272d29ee',
  '20261130054010_mail_in': 'f7365122c6c3e616ce14685397a729a15ca9b3f4c90b23b43bf43f13032fc0dc',
  '20261130061000_service_accounts': '8be290ebf87ac010a94e717aa111e482794fe545165af7699e8a75e660b30dfa',
  '20261130115000_language_histories': 'd3e4c383bbf0eef6b926736a91c1dcffd9bb92eec0167b21260d369fda2d4415',
  '20261130125010_package_settings': 'b876d87270b5f887a1cebec1e313b5a7947750f0509840a0c83489e8a63ee989',
  '20261130141000_remote_imports': '977383147a0a5feed007c126f0054392161c99a6bc1f0f02912b3a04bb86f63c',
  '20261130141100_import_from_gitea': '1f68b7c3557d0d923116ec49e502c4b9c021fb81982e34dfe95536d4c830b41b',
  '20261130063010_code_search': '47338fce0e8a4761c3b1aa538c0292993803045131dc67a77af335aab749b8ed',
  '20261130114010_service_desk': 'f2ed43da71047608370ca7360e8060c46bbd02b68ba6fc710aeeb09a0c0ae07d',
  '20261130114020_commit_comments_with_text': '46683e2ecb2b3fe369703f9840f38c370d9aeccd89156ea615a43059b1522122',
  '20261130112010_debian_packages': '3b40444f23aeee0ace102f42bd06aa28f5622bf1a3c11d9d9e500183049373ba',
  '20261130112020_protection_rules': '035396609c27af88183e4ce81953a1ca5b9b4fd63171eaf1dca57a29b6b83471',
  '20261130111000_group_archives': '4e5a21668b43d167e22b926de0ec7d6f30bee7c1a245b1e3747e731c2d707e9d',
  '20261130111010_sizes_of_wikis_and_snippets': 'a4d8697043930878451f222f66b10ac30defae693ea28843b0381060245b3656',
  '20261130151010_placeholder_users': '187ee0c1e69ffab030f7259a9d8e400fb9c9a6bf24feecb3f87ce070045863ea',
  '20261130124000_code_owners_by_role': 'e73b0f0cc2b6178b9487e8209a9eb5424f11a400175a6b0b1cafe87bfe61efed',
  '20261130165000_export_formats': '9897c7d2ecd634a76960f2345d0c5f6c0e948be7df38ced797b186e6c8427313',
  '20261130162010_bulk_imports': 'f577ff2077b10d6119f54375194461a30e8be2f8b6d96f36566e2300ca8890dc',
  '20261130161000_import_from_gitlab': '6d840492e026b1de459653376ea8596a7b8b6f88e31fcf8da2db79847eb072ef',
  '20261130164010_placeholder_reassignments': '21ccf45aa792f1305846c59d4e932a6966f2dbd09d255990537c8ffa40dee757',
  '20261130164020_editors_of_subjects': '2cf02003f7153320cfda527493daab259210747230daafe5296f334ffdc919cc',
  '20261130163000_remote_updates': '43dfa5c674e9eb75d571770ac8a89d092993bdf734c8f30d7265488bb4996050',
  '20261201400000_caller_writes': '89a2ac70f925c784a56e5c106b2f0b9f1e84bd8bd362109f6070118190f468b8',
  '20261202000000_issues_newest': 'cc9a62dc0f8fec2776ae03832d8d528abf2a27e8527ba06ef49aefd7f96fd28d',
  '20261202000010_issues_latest': '5b8580a17543e1068a5409f26ab8d7fdc35a52fe75d99e00de68160ba7a4fe10',
};

const directory = packagePath('prisma/migrations');

/** A directory with the first migrations only. */
function firstMigrations(count: number): string {
  const first = scratch();
  for (const { name } of readMigrations(directory).slice(0, count)) {
    cpSync(path.join(directory, name), path.join(first, name), { recursive: true });
  }
  return first;
}

/** What a server of the first migration may have written. */
const DATA = `
  INSERT INTO users (username, name, email, password_hash, private_token_hash, private_token_encrypted)
    VALUES ('ann', 'Ann', 'ann@example.org', '-', '\\x01', '\\x0a'), ('bob', 'Bob', 'bob@example.org', '-', '\\x02', '\\x0b');
  INSERT INTO namespaces (kind, name, path, full_path, full_name, owner_id, lineage)
    VALUES ('user', 'ann', 'ann', 'ann', 'Ann', 1, '{1}'), ('group', 'Team', 'team', 'team', 'Team', NULL, '{2}');
  INSERT INTO namespaces (kind, name, path, full_path, full_name, parent_id, lineage)
    VALUES ('group', 'Inner', 'inner', 'team/inner', 'Team / Inner', 2, '{2,3}');
  INSERT INTO projects (namespace_id, creator_id, name, path, runners_token)
    VALUES (1, 1, 'Tour', 'tour', '\\x0c'), (3, 2, 'Work', 'work', '\\x0d');
  INSERT INTO members (user_id, namespace_id, access_level) VALUES (1, 2, 50), (2, 3, 30);
  INSERT INTO milestones (iid, project_id, title) VALUES (1, 1, 'v1');
  INSERT INTO labels (project_id, title, color) VALUES (1, 'bug', '#ff0000');
  INSERT INTO issues (iid, project_id, title, description, author_id, assignee_id, milestone_id, state)
    SELECT n, 1, 'Issue ' || n, repeat('text ', n), 1, 2, 1, CASE WHEN n % 3 = 0 THEN 'closed' ELSE 'opened' END::issue_state
    FROM generate_series(1, 300) n;
  INSERT INTO issue_labels SELECT id, 1 FROM issues WHERE id % 2 = 0;
  INSERT INTO notes (subject_type, subject_id, author_id, body) SELECT 'Issue', id, 2, 'Seen' FROM issues;
  INSERT INTO events (project_id, author_id, action, target_type, target_id, data)
    SELECT 1, 1, 'opened', 'Issue', id, jsonb_build_object('iid', iid) FROM issues;
  INSERT INTO personal_access_tokens (user_id, name, token_hash, scopes) VALUES (1, 'CI', '\\x0e', '{api}');`;

const FACTS = `
  SELECT (SELECT json_agg(t ORDER BY id) FROM (SELECT id, iid, title, description, state, author_id, assignee_id, milestone_id FROM issues) t) AS issues,
    (SELECT json_agg(t ORDER BY id) FROM (SELECT id, full_path, parent_id, lineage, owner_id FROM namespaces) t) AS namespaces,
    (SELECT json_agg(t ORDER BY id) FROM (SELECT id, namespace_id, creator_id, path FROM projects) t) AS projects,
    (SELECT json_agg(t ORDER BY issue_id) FROM issue_labels t) AS labels,
    (SELECT json_agg(t ORDER BY id) FROM (SELECT id, username, email, private_token_hash FROM users) t) AS users,
    (SELECT json_agg(t ORDER BY id) FROM (SELECT id, action, target_id, data FROM events) t) AS events,
    (SELECT json_agg(t) FROM (SELECT opened, closed FROM project_counters ORDER BY project_id) t) AS counters,
    (SELECT count(*) FROM notes) AS notes, (SELECT count(*) FROM members) AS members`;

describe('Migrations that were released', () => {
  it('are never changed or removed', () => {
    const present = new Map(readMigrations(directory).map(({ name, checksum }) => [name, checksum]));
    const found = Object.fromEntries(Object.keys(RELEASED).map((name) => [name, present.get(name)]));
    expect(found).toEqual(RELEASED);
  });

  for (const [options, counts] of everyNth(5, [1, 2, 3, 6, 11])) {
    it.each(counts)('upgrade a database of the first %i of them with what is in it', options, async (count) => {
      const url = await emptyDatabase();
      expect(await migrate(url, undefined, firstMigrations(count))).toHaveLength(count);
      const facts = () => administer(url, async (client) => (await client.query(FACTS)).rows[0]);
      await administer(url, (client) => client.query(DATA));
      const before = await facts();
      expect(before.issues).toHaveLength(300);

      const applied = await migrate(url);
      expect(applied).toHaveLength(readMigrations(directory).length - count);
      expect(await facts()).toEqual(before);
      expect(await migrate(url)).toEqual([]);
    });
  }

  it('list the assignees of what was assigned before', LONG, async () => {
    const url = await emptyDatabase();
    await migrate(url, undefined, firstMigrations(1));
    await administer(url, (client) => client.query(`${DATA} UPDATE issues SET assignee_id = NULL WHERE id = 7`));
    await migrate(url);
    const { rows } = await administer(url, (client) =>
      client.query(`SELECT count(*)::int, array_agg(DISTINCT user_id) AS users, bool_or(issue_id = 7) AS seven
        FROM issue_assignees WHERE position = 0`),
    );
    expect(rows).toEqual([{ count: 299, users: [2], seven: false }]);
  });

  it('take for the past what was before the first event that was recorded', LONG, async () => {
    const past = '20261126130006_past_resource_events';
    const count = readMigrations(directory).findIndex(({ name }) => name === past);
    const since = async (data: string) => {
      const url = await emptyDatabase();
      await migrate(url, undefined, firstMigrations(count));
      await administer(url, (client) => client.query(data));
      await migrate(url);
      const query = `SELECT recorded_since AS at, recorded_since > now() - interval '10 minutes' AS "isNow" FROM past_resource_events`;
      return administer(url, async (client) => (await client.query(query)).rows);
    };
    expect(await since('')).toEqual([]);
    expect(await since(DATA)).toMatchObject([{ isNow: true }]);
    const events = `INSERT INTO state_events (issue_id, state, created_at) VALUES (1, 'closed', '2026-11-03 12:00Z'), (2, 'closed', now());
      INSERT INTO milestone_events (issue_id, action, state, created_at) VALUES (1, 'add', 'opened', '2026-11-04 12:00Z');`;
    expect(await since(`${DATA} ${events}`)).toMatchObject([{ at: new Date('2026-11-03T11:59:00Z') }]);
  });

  it('name the makers of deploy tokens that the audit log knows, and end those of bots that ended', LONG, async () => {
    const makers = '20261129095500_makers_by_audit';
    const url = await emptyDatabase();
    await migrate(url, undefined, firstMigrations(readMigrations(directory).findIndex(({ name }) => name === makers)));
    const made = [1, 2, 3].map((id) => `('deploy_token_created', ${id}, 'DeployToken', ${id})`).join();
    await administer(url, (client) =>
      client.query(`INSERT INTO users (username, name, email, password_hash, private_token_hash, private_token_encrypted, bot)
          VALUES ('ann', 'Ann', 'ann@example.org', '-', '\\x01', '\\x0a', false), ('bee', 'Bee', 'bee@example.org', '-', '\\x02', '\\x0b', true),
            ('cog', 'Cog', 'cog@example.org', '-', '\\x03', '\\x0c', true);
        INSERT INTO namespaces (kind, name, path, full_path, full_name, lineage) VALUES ('group', 'T', 't', 't', 'T', '{1}');
        INSERT INTO personal_access_tokens (user_id, name, token_hash, scopes, namespace_id, revoked)
          VALUES (2, 'one', '\\x0d', '{api}', 1, true), (3, 'two', '\\x0e', '{api}', 1, false);
        INSERT INTO deploy_tokens (group_id, name, username, token_hash, scopes)
          SELECT 1, n, n, decode(lpad(n::text, 2, '0'), 'hex'), '{read_repository}' FROM generate_series(1, 4) n;
        INSERT INTO audit_events (action, author_id, target_type, target_id) VALUES ${made}`),
    );
    await migrate(url);
    const { rows } = await administer(url, (client) =>
      client.query('SELECT id, created_by_id AS by, revoked FROM deploy_tokens ORDER BY id'),
    );
    expect(rows).toEqual([
      { id: 1, by: 1, revoked: false },
      { id: 2, by: 2, revoked: true },
      { id: 3, by: 3, revoked: false },
      { id: 4, by: null, revoked: false },
    ]);
  });

  it('leave new rows their own numbers behind the old ones', LONG, async () => {
    const url = await emptyDatabase();
    await migrate(url, undefined, firstMigrations(1));
    await administer(url, (client) => client.query(DATA));
    await migrate(url);
    const { rows } = await administer(url, (client) =>
      client.query(`INSERT INTO issues (iid, project_id, title, author_id) VALUES (301, 1, 'New', 1) RETURNING id`),
    );
    expect(rows).toEqual([{ id: 301 }]);
  });
});
