CREATE TABLE "authorization_codes" (
	"code_hash" text NOT NULL,
	"user_id" text NOT NULL,
	"client_id" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"code_challenge" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "authorization_codes_pk" PRIMARY KEY("code_hash")
);
--> statement-breakpoint
CREATE TABLE "certificate_authorities" (
	"id" text NOT NULL,
	"purpose" text NOT NULL,
	"status" text NOT NULL,
	"certificate_pem" text NOT NULL,
	"private_key_sealed" "bytea" NOT NULL,
	"not_before" timestamp (3) with time zone NOT NULL,
	"not_after" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "certificate_authorities_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "comments" (
	"id" text NOT NULL,
	"run_id" text NOT NULL,
	"body" text NOT NULL,
	"author_user_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "comments_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "configuration_versions" (
	"id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"status" text NOT NULL,
	"source" text NOT NULL,
	"is_speculative" boolean NOT NULL,
	"is_provisional" boolean NOT NULL,
	"auto_queue_runs" boolean NOT NULL,
	"error" text,
	"error_message" text,
	"blob_key" text,
	"size_bytes" bigint,
	"status_timestamps" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "configuration_versions_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "event_cursors" (
	"name" text NOT NULL,
	"sequence" bigint NOT NULL,
	CONSTRAINT "event_cursors_pk" PRIMARY KEY("name")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" text NOT NULL,
	"sequence" bigint NOT NULL,
	"type" text NOT NULL,
	"organization_id" text,
	"subject" text NOT NULL,
	"version" bigint NOT NULL,
	"payload" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "events_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "installation" (
	"key" text NOT NULL,
	"value" text NOT NULL,
	CONSTRAINT "installation_pk" PRIMARY KEY("key")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" text NOT NULL,
	"queue" text NOT NULL,
	"open_key" text,
	"payload" jsonb NOT NULL,
	"status" text NOT NULL,
	"run_at" timestamp (3) with time zone NOT NULL,
	"attempts" bigint NOT NULL,
	"max_attempts" bigint NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"owner" text,
	"last_error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "jobs_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "leases" (
	"name" text NOT NULL,
	"owner" text NOT NULL,
	"until" timestamp (3) with time zone NOT NULL,
	"epoch" bigint NOT NULL,
	CONSTRAINT "leases_pk" PRIMARY KEY("name")
);
--> statement-breakpoint
CREATE TABLE "log_chunks" (
	"phase_id" text NOT NULL,
	"offset" bigint NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "log_chunks_pk" PRIMARY KEY("phase_id","offset")
);
--> statement-breakpoint
CREATE TABLE "organization_memberships" (
	"id" text NOT NULL,
	"organization_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "organization_memberships_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"email" text NOT NULL,
	"default_execution_mode" text NOT NULL,
	"user_tokens_enabled" boolean NOT NULL,
	"allow_force_delete_workspaces" boolean NOT NULL,
	"settings" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "organizations_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "phases" (
	"id" text NOT NULL,
	"run_id" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"status_timestamps" jsonb NOT NULL,
	"additions" bigint,
	"changes" bigint,
	"destructions" bigint,
	"imports" bigint,
	"has_generated_configuration" boolean NOT NULL,
	"plan_blob_key" text,
	"lock_file_blob_key" text,
	"snapshot_blob_key" text,
	"plan_json_blob_key" text,
	"redacted_json_blob_key" text,
	"schemas_blob_key" text,
	"log_bytes" bigint NOT NULL,
	"log_blob_key" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "phases_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"description" text NOT NULL,
	"is_default" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "projects_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "provider_schemas" (
	"key" text NOT NULL,
	"providers" jsonb NOT NULL,
	"blob_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "provider_schemas_pk" PRIMARY KEY("key")
);
--> statement-breakpoint
CREATE TABLE "remote_state_consumers" (
	"workspace_id" text NOT NULL,
	"consumer_id" text NOT NULL,
	CONSTRAINT "remote_state_consumers_pk" PRIMARY KEY("workspace_id","consumer_id")
);
--> statement-breakpoint
CREATE TABLE "run_events" (
	"id" text NOT NULL,
	"run_id" text NOT NULL,
	"action" text NOT NULL,
	"description" text,
	"actor_user_id" text,
	"comment_id" text,
	"position" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "run_events_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "runner_jobs" (
	"id" text NOT NULL,
	"run_id" text NOT NULL,
	"organization_id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"phase_id" text NOT NULL,
	"phase" text NOT NULL,
	"status" text NOT NULL,
	"priority" bigint NOT NULL,
	"epoch" bigint NOT NULL,
	"attempt" bigint NOT NULL,
	"owner" text,
	"lease_until" timestamp (3) with time zone,
	"deadline" timestamp (3) with time zone,
	"runner_ref" jsonb,
	"step" text,
	"step_seq" bigint NOT NULL,
	"last_state_seq" bigint NOT NULL,
	"results" jsonb NOT NULL,
	"in_flight" jsonb NOT NULL,
	"cancel_mode" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "runner_jobs_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text NOT NULL,
	"organization_id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"configuration_version_id" text NOT NULL,
	"position" bigint NOT NULL,
	"status" text NOT NULL,
	"is_open" boolean NOT NULL,
	"message" text NOT NULL,
	"source" text NOT NULL,
	"trigger_reason" text NOT NULL,
	"is_plan_only" boolean NOT NULL,
	"is_destroy" boolean NOT NULL,
	"refresh" boolean NOT NULL,
	"is_refresh_only" boolean NOT NULL,
	"is_save_plan" boolean NOT NULL,
	"auto_apply" boolean NOT NULL,
	"allow_empty_apply" boolean NOT NULL,
	"allow_config_generation" boolean NOT NULL,
	"is_debugging" boolean NOT NULL,
	"target_addrs" jsonb,
	"replace_addrs" jsonb,
	"terraform_version" text NOT NULL,
	"log_format" text NOT NULL,
	"has_changes" boolean NOT NULL,
	"status_timestamps" jsonb NOT NULL,
	"variables_sealed" "bytea" NOT NULL,
	"pinned_variables_sealed" "bytea" NOT NULL,
	"plan_id" text NOT NULL,
	"apply_id" text NOT NULL,
	"input_state_version_id" text,
	"cancel_requested_at" timestamp (3) with time zone,
	"force_cancel_available_at" timestamp (3) with time zone,
	"force_canceled_at" timestamp (3) with time zone,
	"canceled_at" timestamp (3) with time zone,
	"created_by_user_id" text,
	"confirmed_by_user_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"version" bigint NOT NULL,
	CONSTRAINT "runs_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id_hash" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_pk" PRIMARY KEY("id_hash")
);
--> statement-breakpoint
CREATE TABLE "setup_links" (
	"token_hash" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "setup_links_pk" PRIMARY KEY("token_hash")
);
--> statement-breakpoint
CREATE TABLE "state_outputs" (
	"id" text NOT NULL,
	"state_version_id" text NOT NULL,
	"name" text NOT NULL,
	"is_sensitive" boolean NOT NULL,
	"type" text NOT NULL,
	"detailed_type" text,
	"value_sealed" "bytea" NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "state_outputs_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "state_versions" (
	"id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"run_id" text,
	"created_by_user_id" text,
	"serial" bigint NOT NULL,
	"lineage" text NOT NULL,
	"md5" text NOT NULL,
	"status" text NOT NULL,
	"is_intermediate" boolean NOT NULL,
	"blob_key" text,
	"size_bytes" bigint,
	"json_blob_key" text,
	"terraform_version" text,
	"format_version" bigint,
	"are_resources_processed" boolean NOT NULL,
	"resources" jsonb,
	"modules" jsonb,
	"providers" jsonb,
	"billable_count" bigint,
	"managed_count" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finalized_at" timestamp (3) with time zone,
	"position" bigint NOT NULL,
	CONSTRAINT "state_versions_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "tag_bindings" (
	"id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "tag_bindings_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "tags" (
	"id" text NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	CONSTRAINT "tags_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" text NOT NULL,
	"kind" text NOT NULL,
	"secret_hash" text NOT NULL,
	"user_id" text,
	"organization_id" text,
	"run_id" text,
	"workspace_id" text,
	"created_by_user_id" text,
	"description" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "tokens_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text NOT NULL,
	"username" text NOT NULL,
	"username_key" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" text,
	"is_site_admin" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "users_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "variables" (
	"id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"key" text NOT NULL,
	"category" text NOT NULL,
	"value_sealed" "bytea" NOT NULL,
	"is_hcl" boolean NOT NULL,
	"is_sensitive" boolean NOT NULL,
	"description" text NOT NULL,
	"version_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "variables_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"description" text,
	"execution_mode" text,
	"terraform_version" text NOT NULL,
	"working_directory" text NOT NULL,
	"auto_apply" boolean NOT NULL,
	"auto_apply_run_trigger" boolean NOT NULL,
	"allow_destroy_plan" boolean NOT NULL,
	"assessments_enabled" boolean NOT NULL,
	"file_triggers_enabled" boolean NOT NULL,
	"global_remote_state" boolean NOT NULL,
	"project_remote_state" boolean NOT NULL,
	"queue_all_runs" boolean NOT NULL,
	"speculative_enabled" boolean NOT NULL,
	"structured_run_output_enabled" boolean NOT NULL,
	"inherits_project_auto_destroy" boolean NOT NULL,
	"auto_destroy_at" timestamp (3) with time zone,
	"auto_destroy_activity_duration" text,
	"trigger_prefixes" jsonb NOT NULL,
	"trigger_patterns" jsonb NOT NULL,
	"source" text NOT NULL,
	"source_name" text,
	"source_url" text,
	"locked_by_kind" text,
	"locked_by_id" text,
	"locked_reason" text NOT NULL,
	"current_run_id" text,
	"current_state_version_id" text,
	"current_configuration_version_id" text,
	"resource_count" bigint NOT NULL,
	"run_figures" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"latest_change_at" timestamp (3) with time zone NOT NULL,
	"version" bigint NOT NULL,
	CONSTRAINT "workspaces_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
ALTER TABLE "authorization_codes" ADD CONSTRAINT "authorization_codes_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "comments" ADD CONSTRAINT "comments_run_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "configuration_versions" ADD CONSTRAINT "configuration_versions_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "log_chunks" ADD CONSTRAINT "log_chunks_phase_fk" FOREIGN KEY ("phase_id") REFERENCES "public"."phases"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_memberships" ADD CONSTRAINT "organization_memberships_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "organization_memberships" ADD CONSTRAINT "organization_memberships_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "phases" ADD CONSTRAINT "phases_run_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "remote_state_consumers" ADD CONSTRAINT "remote_state_consumers_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "remote_state_consumers" ADD CONSTRAINT "remote_state_consumers_consumer_fk" FOREIGN KEY ("consumer_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_events" ADD CONSTRAINT "run_events_run_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runner_jobs" ADD CONSTRAINT "runner_jobs_run_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "setup_links" ADD CONSTRAINT "setup_links_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "state_outputs" ADD CONSTRAINT "state_outputs_version_fk" FOREIGN KEY ("state_version_id") REFERENCES "public"."state_versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "state_versions" ADD CONSTRAINT "state_versions_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tag_bindings" ADD CONSTRAINT "tag_bindings_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tags" ADD CONSTRAINT "tags_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_user_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variables" ADD CONSTRAINT "variables_workspace_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "workspaces" ADD CONSTRAINT "workspaces_project_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "authorization_codes_user_idx" ON "authorization_codes" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "certificate_authorities_status_key" ON "certificate_authorities" USING btree ("purpose","status");--> statement-breakpoint
CREATE INDEX "comments_run_idx" ON "comments" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "configuration_versions_workspace_idx" ON "configuration_versions" USING btree ("workspace_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "events_sequence_key" ON "events" USING btree ("sequence");--> statement-breakpoint
CREATE INDEX "events_subject_idx" ON "events" USING btree ("subject");--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_open_key" ON "jobs" USING btree ("queue","open_key");--> statement-breakpoint
CREATE INDEX "jobs_due_idx" ON "jobs" USING btree ("status","queue","run_at");--> statement-breakpoint
CREATE UNIQUE INDEX "organization_memberships_user_key" ON "organization_memberships" USING btree ("organization_id","user_id");--> statement-breakpoint
CREATE INDEX "organization_memberships_user_idx" ON "organization_memberships" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "organizations_name_key" ON "organizations" USING btree ("name_key");--> statement-breakpoint
CREATE UNIQUE INDEX "phases_run_key" ON "phases" USING btree ("run_id","kind");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_name_key" ON "projects" USING btree ("organization_id","name_key");--> statement-breakpoint
CREATE INDEX "remote_state_consumers_consumer_idx" ON "remote_state_consumers" USING btree ("consumer_id");--> statement-breakpoint
CREATE UNIQUE INDEX "run_events_position_key" ON "run_events" USING btree ("run_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "runner_jobs_phase_key" ON "runner_jobs" USING btree ("phase_id");--> statement-breakpoint
CREATE INDEX "runner_jobs_status_idx" ON "runner_jobs" USING btree ("status","priority","created_at");--> statement-breakpoint
CREATE INDEX "runner_jobs_run_idx" ON "runner_jobs" USING btree ("run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_position_key" ON "runs" USING btree ("workspace_id","position");--> statement-breakpoint
CREATE INDEX "runs_organization_idx" ON "runs" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "runs_open_idx" ON "runs" USING btree ("is_open","workspace_id","position");--> statement-breakpoint
CREATE INDEX "runs_plan_idx" ON "runs" USING btree ("plan_id");--> statement-breakpoint
CREATE INDEX "runs_apply_idx" ON "runs" USING btree ("apply_id");--> statement-breakpoint
CREATE INDEX "runs_configuration_idx" ON "runs" USING btree ("configuration_version_id");--> statement-breakpoint
CREATE INDEX "sessions_user_idx" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expires_idx" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "setup_links_user_idx" ON "setup_links" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "state_outputs_name_key" ON "state_outputs" USING btree ("state_version_id","name");--> statement-breakpoint
CREATE INDEX "state_versions_workspace_idx" ON "state_versions" USING btree ("workspace_id","position");--> statement-breakpoint
CREATE INDEX "state_versions_run_idx" ON "state_versions" USING btree ("run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tag_bindings_key" ON "tag_bindings" USING btree ("workspace_id","key");--> statement-breakpoint
CREATE INDEX "tag_bindings_lookup_idx" ON "tag_bindings" USING btree ("key","value","workspace_id");--> statement-breakpoint
CREATE UNIQUE INDEX "tags_name_key" ON "tags" USING btree ("organization_id","name");--> statement-breakpoint
CREATE UNIQUE INDEX "tokens_secret_hash_key" ON "tokens" USING btree ("secret_hash");--> statement-breakpoint
CREATE INDEX "tokens_user_idx" ON "tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "tokens_organization_idx" ON "tokens" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "tokens_run_idx" ON "tokens" USING btree ("run_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_username_key" ON "users" USING btree ("username_key");--> statement-breakpoint
CREATE INDEX "users_email_idx" ON "users" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "variables_key" ON "variables" USING btree ("workspace_id","key","category");--> statement-breakpoint
CREATE UNIQUE INDEX "workspaces_name_key" ON "workspaces" USING btree ("organization_id","name_key");--> statement-breakpoint
CREATE INDEX "workspaces_project_idx" ON "workspaces" USING btree ("project_id","name_key");--> statement-breakpoint
CREATE INDEX "workspaces_created_idx" ON "workspaces" USING btree ("organization_id","created_at","id");--> statement-breakpoint
CREATE INDEX "workspaces_latest_change_idx" ON "workspaces" USING btree ("organization_id","latest_change_at");