ALTER TABLE "configuration_versions" ADD COLUMN "may_auto_apply" boolean;--> statement-breakpoint
ALTER TABLE "phases" ADD COLUMN "errored_state_blob_key" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "may_auto_apply" boolean;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "invoke_action_addrs" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "policy_paths" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "engine" text DEFAULT 'terraform' NOT NULL;--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "engine" text DEFAULT 'terraform' NOT NULL;