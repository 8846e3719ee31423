terraform {
  # Host and organization come from the environment: TF_CLOUD_HOSTNAME, TF_CLOUD_ORGANIZATION.
  cloud {
    workspaces {
      name = "hello"
    }
  }
}

variable "name" {
  type    = string
  default = "world"
}

resource "terraform_data" "greeting" {
  input = "Hello, ${var.name}!"
}

output "greeting" {
  value = terraform_data.greeting.output
}
