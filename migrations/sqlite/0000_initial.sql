CREATE TABLE `authorization_codes` (
	`code_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`client_id` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`code_challenge` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `authorization_codes_user_idx` ON `authorization_codes` (`user_id`);--> statement-breakpoint
CREATE TABLE `certificate_authorities` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`status` text NOT NULL,
	`certificate_pem` text NOT NULL,
	`private_key_sealed` blob NOT NULL,
	`not_before` integer NOT NULL,
	`not_after` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `certificate_authorities_status_key` ON `certificate_authorities` (`purpose`,`status`);--> statement-breakpoint
CREATE TABLE `comments` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`body` text NOT NULL,
	`author_user_id` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `comments_run_idx` ON `comments` (`run_id`);--> statement-breakpoint
CREATE TABLE `configuration_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`status` text NOT NULL,
	`source` text NOT NULL,
	`is_speculative` integer NOT NULL,
	`is_provisional` integer NOT NULL,
	`auto_queue_runs` integer NOT NULL,
	`error` text,
	`error_message` text,
	`blob_key` text,
	`size_bytes` integer,
	`status_timestamps` text NOT NULL,
	`created_at` integer NOT NULL,
	`position` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `configuration_versions_workspace_idx` ON `configuration_versions` (`workspace_id`,`position`);--> statement-breakpoint
CREATE TABLE `event_cursors` (
	`name` text PRIMARY KEY NOT NULL,
	`sequence` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`sequence` integer NOT NULL,
	`type` text NOT NULL,
	`organization_id` text,
	`subject` text NOT NULL,
	`version` integer NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_sequence_key` ON `events` (`sequence`);--> statement-breakpoint
CREATE INDEX `events_subject_idx` ON `events` (`subject`);--> statement-breakpoint
CREATE TABLE `installation` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`queue` text NOT NULL,
	`open_key` text,
	`payload` text NOT NULL,
	`status` text NOT NULL,
	`run_at` integer NOT NULL,
	`attempts` integer NOT NULL,
	`max_attempts` integer NOT NULL,
	`lease_until` integer,
	`owner` text,
	`last_error` text,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_open_key` ON `jobs` (`queue`,`open_key`);--> statement-breakpoint
CREATE INDEX `jobs_due_idx` ON `jobs` (`status`,`queue`,`run_at`);--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`until` integer NOT NULL,
	`epoch` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `log_chunks` (
	`phase_id` text NOT NULL,
	`offset` integer NOT NULL,
	`bytes` blob NOT NULL,
	PRIMARY KEY(`phase_id`, `offset`),
	FOREIGN KEY (`phase_id`) REFERENCES `phases`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `organization_memberships` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organization_memberships_user_key` ON `organization_memberships` (`organization_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `organization_memberships_user_idx` ON `organization_memberships` (`user_id`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`email` text NOT NULL,
	`default_execution_mode` text NOT NULL,
	`user_tokens_enabled` integer NOT NULL,
	`allow_force_delete_workspaces` integer NOT NULL,
	`settings` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `organizations_name_key` ON `organizations` (`name_key`);--> statement-breakpoint
CREATE TABLE `phases` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`status_timestamps` text NOT NULL,
	`additions` integer,
	`changes` integer,
	`destructions` integer,
	`imports` integer,
	`has_generated_configuration` integer NOT NULL,
	`plan_blob_key` text,
	`lock_file_blob_key` text,
	`snapshot_blob_key` text,
	`plan_json_blob_key` text,
	`redacted_json_blob_key` text,
	`schemas_blob_key` text,
	`log_bytes` integer NOT NULL,
	`log_blob_key` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `phases_run_key` ON `phases` (`run_id`,`kind`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text NOT NULL,
	`is_default` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name_key` ON `projects` (`organization_id`,`name_key`);--> statement-breakpoint
CREATE TABLE `provider_schemas` (
	`key` text PRIMARY KEY NOT NULL,
	`providers` text NOT NULL,
	`blob_key` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `remote_state_consumers` (
	`workspace_id` text NOT NULL,
	`consumer_id` text NOT NULL,
	PRIMARY KEY(`workspace_id`, `consumer_id`),
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`consumer_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `remote_state_consumers_consumer_idx` ON `remote_state_consumers` (`consumer_id`);--> statement-breakpoint
CREATE TABLE `run_events` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`action` text NOT NULL,
	`description` text,
	`actor_user_id` text,
	`comment_id` text,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `run_events_position_key` ON `run_events` (`run_id`,`position`);--> statement-breakpoint
CREATE TABLE `runner_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`run_id` text NOT NULL,
	`organization_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`phase_id` text NOT NULL,
	`phase` text NOT NULL,
	`status` text NOT NULL,
	`priority` integer NOT NULL,
	`epoch` integer NOT NULL,
	`attempt` integer NOT NULL,
	`owner` text,
	`lease_until` integer,
	`deadline` integer,
	`runner_ref` text,
	`step` text,
	`step_seq` integer NOT NULL,
	`last_state_seq` integer NOT NULL,
	`results` text NOT NULL,
	`in_flight` text NOT NULL,
	`cancel_mode` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runner_jobs_phase_key` ON `runner_jobs` (`phase_id`);--> statement-breakpoint
CREATE INDEX `runner_jobs_status_idx` ON `runner_jobs` (`status`,`priority`,`created_at`);--> statement-breakpoint
CREATE INDEX `runner_jobs_run_idx` ON `runner_jobs` (`run_id`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`configuration_version_id` text NOT NULL,
	`position` integer NOT NULL,
	`status` text NOT NULL,
	`is_open` integer NOT NULL,
	`message` text NOT NULL,
	`source` text NOT NULL,
	`trigger_reason` text NOT NULL,
	`is_plan_only` integer NOT NULL,
	`is_destroy` integer NOT NULL,
	`refresh` integer NOT NULL,
	`is_refresh_only` integer NOT NULL,
	`is_save_plan` integer NOT NULL,
	`auto_apply` integer NOT NULL,
	`allow_empty_apply` integer NOT NULL,
	`allow_config_generation` integer NOT NULL,
	`is_debugging` integer NOT NULL,
	`target_addrs` text,
	`replace_addrs` text,
	`terraform_version` text NOT NULL,
	`log_format` text NOT NULL,
	`has_changes` integer NOT NULL,
	`status_timestamps` text NOT NULL,
	`variables_sealed` blob NOT NULL,
	`pinned_variables_sealed` blob NOT NULL,
	`plan_id` text NOT NULL,
	`apply_id` text NOT NULL,
	`input_state_version_id` text,
	`cancel_requested_at` integer,
	`force_cancel_available_at` integer,
	`force_canceled_at` integer,
	`canceled_at` integer,
	`created_by_user_id` text,
	`confirmed_by_user_id` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`version` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_position_key` ON `runs` (`workspace_id`,`position`);--> statement-breakpoint
CREATE INDEX `runs_organization_idx` ON `runs` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `runs_open_idx` ON `runs` (`is_open`,`workspace_id`,`position`);--> statement-breakpoint
CREATE INDEX `runs_plan_idx` ON `runs` (`plan_id`);--> statement-breakpoint
CREATE INDEX `runs_apply_idx` ON `runs` (`apply_id`);--> statement-breakpoint
CREATE INDEX `runs_configuration_idx` ON `runs` (`configuration_version_id`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_user_idx` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_expires_idx` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `setup_links` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `setup_links_user_idx` ON `setup_links` (`user_id`);--> statement-breakpoint
CREATE TABLE `state_outputs` (
	`id` text PRIMARY KEY NOT NULL,
	`state_version_id` text NOT NULL,
	`name` text NOT NULL,
	`is_sensitive` integer NOT NULL,
	`type` text NOT NULL,
	`detailed_type` text,
	`value_sealed` blob NOT NULL,
	`position` integer NOT NULL,
	FOREIGN KEY (`state_version_id`) REFERENCES `state_versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `state_outputs_name_key` ON `state_outputs` (`state_version_id`,`name`);--> statement-breakpoint
CREATE TABLE `state_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`run_id` text,
	`created_by_user_id` text,
	`serial` integer NOT NULL,
	`lineage` text NOT NULL,
	`md5` text NOT NULL,
	`status` text NOT NULL,
	`is_intermediate` integer NOT NULL,
	`blob_key` text,
	`size_bytes` integer,
	`json_blob_key` text,
	`terraform_version` text,
	`format_version` integer,
	`are_resources_processed` integer NOT NULL,
	`resources` text,
	`modules` text,
	`providers` text,
	`billable_count` integer,
	`managed_count` integer,
	`created_at` integer NOT NULL,
	`finalized_at` integer,
	`position` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `state_versions_workspace_idx` ON `state_versions` (`workspace_id`,`position`);--> statement-breakpoint
CREATE INDEX `state_versions_run_idx` ON `state_versions` (`run_id`);--> statement-breakpoint
CREATE TABLE `tag_bindings` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`position` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tag_bindings_key` ON `tag_bindings` (`workspace_id`,`key`);--> statement-breakpoint
CREATE INDEX `tag_bindings_lookup_idx` ON `tag_bindings` (`key`,`value`,`workspace_id`);--> statement-breakpoint
CREATE TABLE `tags` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name_key` ON `tags` (`organization_id`,`name`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`secret_hash` text NOT NULL,
	`user_id` text,
	`organization_id` text,
	`run_id` text,
	`workspace_id` text,
	`created_by_user_id` text,
	`description` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`expires_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_secret_hash_key` ON `tokens` (`secret_hash`);--> statement-breakpoint
CREATE INDEX `tokens_user_idx` ON `tokens` (`user_id`);--> statement-breakpoint
CREATE INDEX `tokens_organization_idx` ON `tokens` (`organization_id`);--> statement-breakpoint
CREATE INDEX `tokens_run_idx` ON `tokens` (`run_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text NOT NULL,
	`username_key` text NOT NULL,
	`email` text NOT NULL,
	`password_hash` text,
	`is_site_admin` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_key` ON `users` (`username_key`);--> statement-breakpoint
CREATE INDEX `users_email_idx` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `variables` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`key` text NOT NULL,
	`category` text NOT NULL,
	`value_sealed` blob NOT NULL,
	`is_hcl` integer NOT NULL,
	`is_sensitive` integer NOT NULL,
	`description` text NOT NULL,
	`version_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `variables_key` ON `variables` (`workspace_id`,`key`,`category`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`description` text,
	`execution_mode` text,
	`terraform_version` text NOT NULL,
	`working_directory` text NOT NULL,
	`auto_apply` integer NOT NULL,
	`auto_apply_run_trigger` integer NOT NULL,
	`allow_destroy_plan` integer NOT NULL,
	`assessments_enabled` integer NOT NULL,
	`file_triggers_enabled` integer NOT NULL,
	`global_remote_state` integer NOT NULL,
	`project_remote_state` integer NOT NULL,
	`queue_all_runs` integer NOT NULL,
	`speculative_enabled` integer NOT NULL,
	`structured_run_output_enabled` integer NOT NULL,
	`inherits_project_auto_destroy` integer NOT NULL,
	`auto_destroy_at` integer,
	`auto_destroy_activity_duration` text,
	`trigger_prefixes` text NOT NULL,
	`trigger_patterns` text NOT NULL,
	`source` text NOT NULL,
	`source_name` text,
	`source_url` text,
	`locked_by_kind` text,
	`locked_by_id` text,
	`locked_reason` text NOT NULL,
	`current_run_id` text,
	`current_state_version_id` text,
	`current_configuration_version_id` text,
	`resource_count` integer NOT NULL,
	`run_figures` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`latest_change_at` integer NOT NULL,
	`version` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workspaces_name_key` ON `workspaces` (`organization_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `workspaces_project_idx` ON `workspaces` (`project_id`,`name_key`);--> statement-breakpoint
CREATE INDEX `workspaces_created_idx` ON `workspaces` (`organization_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `workspaces_latest_change_idx` ON `workspaces` (`organization_id`,`latest_change_at`);